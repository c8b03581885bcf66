// The hosts of addresses, after the URL Standard, and its percent encoding. A host that is not ASCII is written
// in Punycode after NFKC and lower case, which is what the standard's tables come to for all but rare
// characters. The text of this function is evaluated in the compartment of each job that asks for it.

export type UrlHosts = ReturnType<typeof makeUrlHosts>;

export function makeUrlHosts() {
  const controls = String.raw`\x00-\x1f\x7f-\u{10ffff}`;
  const sets = {
    control: new RegExp(`[${controls}]`, 'u'),
    fragment: new RegExp(`[${controls} "<>\`]`, 'u'),
    query: new RegExp(`[${controls} "#<>]`, 'u'),
    'special query': new RegExp(`[${controls} "#<>']`, 'u'),
    path: new RegExp(`[${controls} "#<>?^\`{}]`, 'u'),
    userinfo: new RegExp(`[${controls} "#<>?^\`{}/:;=@[\\]|]`, 'u'),
  };
  const forbiddenInHost = /[\0\t\n\r #/:<>?@[\\\]^|]/;
  const forbiddenInDomain = /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/;

  class Failure extends Error {}

  function utf8(character: string): number[] {
    const point = character.codePointAt(0)!;
    const isLone = point >= 0xd800 && point <= 0xdfff;
    const encoded = encodeURIComponent(isLone ? '\ufffd' : character);
    if (!encoded.startsWith('%')) return [point];
    return encoded
      .slice(1)
      .split('%')
      .map((code) => parseInt(code, 16));
  }

  function encode(text: string, set: keyof typeof sets): string {
    let out = '';
    for (const character of text) {
      if (sets[set].test(character)) {
        for (const byte of utf8(character)) {
          out += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
        }
      } else out += character;
    }
    return out;
  }

  /** What is no UTF-8 becomes U+FFFD, which no host may contain. */
  function decoded(text: string): string {
    return text.replace(/(?:%[\da-f]{2})+/gi, (codes) => {
      try {
        return decodeURIComponent(codes);
      } catch {
        return '\ufffd';
      }
    });
  }

  // Hosts.

  function punycode(label: string): string {
    const points = Array.from(label, (character) => character.codePointAt(0)!);
    let out = points
      .filter((point) => point < 0x80)
      .map((point) => String.fromCharCode(point))
      .join('');
    const basics = out.length;
    let handled = basics;
    if (basics > 0) out += '-';
    let [n, delta, bias] = [128, 0, 72];
    const digit = (value: number) => String.fromCharCode(value < 26 ? value + 97 : value + 22);
    const adapt = (given: number, count: number, isFirst: boolean) => {
      let value = isFirst ? Math.floor(given / 700) : given >> 1;
      value += Math.floor(value / count);
      let k = 0;
      for (; value > 455; k += 36) value = Math.floor(value / 35);
      return k + Math.floor((36 * value) / (value + 38));
    };
    while (handled < points.length) {
      const next = Math.min(...points.filter((point) => point >= n));
      delta += (next - n) * (handled + 1);
      n = next;
      for (const point of points) {
        if (point < n) delta += 1;
        if (point !== n) continue;
        let q = delta;
        for (let k = 36; ; k += 36) {
          const t = Math.min(Math.max(k - bias, 1), 26);
          if (q < t) break;
          out += digit(t + ((q - t) % (36 - t)));
          q = Math.floor((q - t) / (36 - t));
        }
        out += digit(q);
        bias = adapt(delta, handled + 1, handled === basics);
        delta = 0;
        handled += 1;
      }
      delta += 1;
      n += 1;
    }
    return `xn--${out}`;
  }

  function asciiDomain(text: string): string {
    const mapped = text
      .replace(/\u00ad|\u200b|\u2060|[\ufe00-\ufe0f]|\ufeff/g, '')
      .replaceAll('\u3002', '.')
      .toLowerCase()
      .normalize('NFKC')
      .toLowerCase()
      .normalize('NFC');
    const isAscii = (label: string) => /^[\0-\x7f]*$/.test(label);
    const labels = mapped.split('.').map((label) => {
      if (label.length > 2048) throw new Failure();
      return isAscii(label) ? label : punycode(label);
    });
    const domain = labels.join('.');
    if (domain === '' || forbiddenInDomain.test(domain)) throw new Failure();
    return domain;
  }

  function numberOf(part: string): number {
    const [digits, radix] = /^0x/i.test(part)
      ? [part.slice(2), 16]
      : part.length > 1 && part.startsWith('0')
        ? [part.slice(1), 8]
        : [part, 10];
    if (digits === '') return 0;
    const valid = radix === 16 ? /^[\da-f]+$/i : radix === 8 ? /^[0-7]+$/ : /^\d+$/;
    return valid.test(digits) ? parseInt(digits, radix) : NaN;
  }

  function ipv4(host: string): string | null {
    const parts = host.split('.');
    if (parts.at(-1) === '' && parts.length > 1) parts.pop();
    const last = parts.at(-1)!;
    if (!/^\d+$/.test(last) && !/^0x[\da-f]*$/i.test(last)) return null;
    if (parts.length > 4) throw new Failure();
    const numbers = parts.map((part) => (part === '' ? NaN : numberOf(part)));
    const rest = numbers.pop()!;
    const isTooLarge =
      numbers.some((number) => number > 255) || rest >= 256 ** (4 - numbers.length);
    if (isTooLarge || Number.isNaN(rest) || numbers.some(Number.isNaN)) throw new Failure();
    const value = numbers.reduce((sum, number, at) => sum + number * 256 ** (3 - at), rest);
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
  }

  function ipv6(text: string): string {
    let source = text;
    const dotted = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(source);
    if (dotted !== null) {
      const bytes = dotted.slice(2).map((part) => {
        if ((part.length > 1 && part.startsWith('0')) || Number(part) > 255) throw new Failure();
        return Number(part);
      });
      const pair = (at: number) => (bytes[at]! * 256 + bytes[at + 1]!).toString(16);
      source = `${dotted[1]}${pair(0)}:${pair(2)}`;
    }
    const halves = source.split('::');
    if (halves.length > 2) throw new Failure();
    const [before, after] = halves.map((half) => (half === '' ? [] : half.split(':')));
    const given = [...before!, ...(after ?? [])];
    if (given.some((piece) => !/^[\da-f]{1,4}$/i.test(piece))) throw new Failure();
    if (after === undefined ? given.length !== 8 : given.length > 7) throw new Failure();
    const zeros = Array.from({ length: 8 - given.length }, () => '0');
    const pieces = [...before!, ...zeros, ...(after ?? [])].map((piece) => parseInt(piece, 16));
    return shortened(pieces);
  }

  /** The longest run of zeros, the first of several, becomes `::`. */
  function shortened(pieces: readonly number[]): string {
    let [start, length] = [-1, 1];
    for (let at = 0; at < 8; at++) {
      let end = at;
      while (pieces[end] === 0) end += 1;
      if (end - at > length) [start, length] = [at, end - at];
    }
    const hex = (part: readonly number[]) => part.map((piece) => piece.toString(16)).join(':');
    if (start < 0) return hex(pieces);
    return `${hex(pieces.slice(0, start))}::${hex(pieces.slice(start + length))}`;
  }

  function parseHost(text: string, special: boolean): string {
    if (text.startsWith('[')) {
      if (!text.endsWith(']')) throw new Failure();
      return `[${ipv6(text.slice(1, -1))}]`;
    }
    if (!special) {
      if (forbiddenInHost.test(text)) throw new Failure();
      return encode(text, 'control');
    }
    const domain = asciiDomain(decoded(text));
    return ipv4(domain) ?? domain;
  }

  return { Failure, encode, parseHost };
}
