// `TextEncoder` and `TextDecoder` of a program, as the Encoding Standard has them, for UTF-8, UTF-16 and
// windows-1252. The text of this function is evaluated in the compartment of each job that asks for them:
// it uses nothing but the language.

interface DecoderOptions {
  readonly fatal?: boolean;
  readonly ignoreBOM?: boolean;
}

/** `end` tells that no more bytes come. Returns the text so far; keeps what is not complete. */
type Decode = (bytes: Uint8Array, end: boolean) => string;

/** What the two classes offer; said here, since a declaration cannot name the private members of a class. */
interface TextCoding {
  readonly TextEncoder: new () => {
    encode(input?: unknown): Uint8Array;
    encodeInto(input: unknown, bytes: Uint8Array): { read: number; written: number };
  };
  readonly TextDecoder: new (
    label?: unknown,
    options?: DecoderOptions,
  ) => { decode(input?: unknown, options?: { readonly stream?: boolean }): string };
}

export function makeTextCoding(): TextCoding {
  const replacement = 0xfffd;
  const labels: Readonly<Record<string, string>> = {
    'utf-8': 'utf-8',
    utf8: 'utf-8',
    'unicode-1-1-utf-8': 'utf-8',
    'utf-16': 'utf-16le',
    'utf-16le': 'utf-16le',
    'ucs-2': 'utf-16le',
    unicode: 'utf-16le',
    'utf-16be': 'utf-16be',
    ascii: 'windows-1252',
    'us-ascii': 'windows-1252',
    latin1: 'windows-1252',
    l1: 'windows-1252',
    'iso-8859-1': 'windows-1252',
    iso88591: 'windows-1252',
    cp1252: 'windows-1252',
    'windows-1252': 'windows-1252',
  };
  // The places 0x80 to 0x9f, the only ones in which windows-1252 differs from the code points.
  const windows =
    '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
    '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

  function pointsOf(text: string, at: number): number {
    const point = text.codePointAt(at)!;
    return point >= 0xd800 && point <= 0xdfff ? replacement : point;
  }

  /** Writes as many whole characters as fit. */
  function write(text: string, bytes: Uint8Array): { read: number; written: number } {
    let read = 0;
    let written = 0;
    while (read < text.length) {
      const point = pointsOf(text, read);
      const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (written + size > bytes.length) break;
      if (size === 1) bytes[written] = point;
      else bytes[written] = (0xf00 >> size) | (point >> (6 * (size - 1)));
      for (let rest = 1; rest < size; rest++) {
        bytes[written + rest] = 0x80 | ((point >> (6 * (size - 1 - rest))) & 0x3f);
      }
      written += size;
      read += size === 4 ? 2 : 1;
    }
    return { read, written };
  }

  function bytesOf(input: unknown): Uint8Array {
    if (input === undefined) return new Uint8Array(0);
    if (ArrayBuffer.isView(input)) {
      return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    }
    if (Object.prototype.toString.call(input) === '[object ArrayBuffer]') {
      return new Uint8Array(input as ArrayBuffer);
    }
    throw new TypeError('TextDecoder.decode takes an ArrayBuffer or a view on one');
  }

  /** Collects UTF-16 units; the engine takes only so many arguments at once. */
  function collector() {
    const parts: string[] = [];
    let units: number[] = [];
    return {
      add(point: number): void {
        if (point < 0x10000) units.push(point);
        else units.push(0xd7c0 + (point >> 10), 0xdc00 | (point & 0x3ff));
        if (units.length < 4096) return;
        parts.push(String.fromCharCode(...units));
        units = [];
      },
      text: () => parts.join('') + String.fromCharCode(...units),
    };
  }

  function utf8Decoder(bad: () => number): Decode {
    let point = 0;
    let missing = 0;
    // The bounds of the byte that comes next: no overlong forms, no surrogates, nothing over U+10FFFF.
    let lowest = 0x80;
    let highest = 0xbf;
    const begin = (byte: number): number | null => {
      if (byte < 0x80) return byte;
      if (byte < 0xc2 || byte > 0xf4) return bad();
      missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      point = byte & (0x3f >> missing);
      if (byte === 0xe0) lowest = 0xa0;
      if (byte === 0xed) highest = 0x9f;
      if (byte === 0xf0) lowest = 0x90;
      if (byte === 0xf4) highest = 0x8f;
      return null;
    };
    const reset = () => {
      missing = 0;
      lowest = 0x80;
      highest = 0xbf;
    };
    return (bytes, end) => {
      const found = collector();
      for (const byte of bytes) {
        if (missing > 0 && (byte < lowest || byte > highest)) {
          reset();
          found.add(bad());
        }
        if (missing === 0) {
          const whole = begin(byte);
          if (whole !== null) found.add(whole);
          continue;
        }
        point = (point << 6) | (byte & 0x3f);
        lowest = 0x80;
        highest = 0xbf;
        missing -= 1;
        if (missing === 0) found.add(point);
      }
      if (end && missing > 0) {
        reset();
        found.add(bad());
      }
      return found.text();
    };
  }

  function utf16Decoder(bad: () => number, isBigEndian: boolean): Decode {
    let first = -1;
    let lead = -1;
    return (bytes, end) => {
      const found = collector();
      for (const byte of bytes) {
        if (first < 0) {
          first = byte;
          continue;
        }
        const unit = isBigEndian ? (first << 8) | byte : (byte << 8) | first;
        first = -1;
        const isTrail = unit >= 0xdc00 && unit <= 0xdfff;
        if (lead >= 0 && isTrail) {
          found.add(((lead - 0xd800) << 10) + (unit - 0xdc00) + 0x10000);
          lead = -1;
          continue;
        }
        if (lead >= 0) found.add(bad());
        lead = -1;
        if (unit >= 0xd800 && unit <= 0xdbff) lead = unit;
        else found.add(isTrail ? bad() : unit);
      }
      if (end && (first >= 0 || lead >= 0)) {
        first = -1;
        lead = -1;
        found.add(bad());
      }
      return found.text();
    };
  }

  const windowsDecoder = (): Decode => (bytes) => {
    const found = collector();
    for (const byte of bytes) {
      found.add(byte >= 0x80 && byte < 0xa0 ? windows.charCodeAt(byte - 0x80) : byte);
    }
    return found.text();
  };

  class TextEncoder {
    get encoding(): string {
      return 'utf-8';
    }

    encode(input: unknown = ''): Uint8Array {
      const text = String(input);
      const bytes = new Uint8Array(text.length * 3);
      return bytes.slice(0, write(text, bytes).written);
    }

    encodeInto(input: unknown, bytes: Uint8Array): { read: number; written: number } {
      return write(String(input), bytes);
    }

    get [Symbol.toStringTag](): string {
      return 'TextEncoder';
    }
  }

  class TextDecoder {
    readonly #encoding: string;
    readonly #isFatal: boolean;
    readonly #keepsMark: boolean;
    #decode: Decode | null = null;
    /** True before the first character, which may be a byte order mark. */
    #isAtStart = true;

    constructor(label: unknown = 'utf-8', options: DecoderOptions = {}) {
      const encoding = labels[String(label).trim().toLowerCase()];
      if (encoding === undefined) {
        throw new RangeError(`"${String(label)}" is not an encoding that tasks can decode`);
      }
      this.#encoding = encoding;
      this.#isFatal = Boolean(options.fatal);
      this.#keepsMark = Boolean(options.ignoreBOM);
    }

    get encoding(): string {
      return this.#encoding;
    }

    get fatal(): boolean {
      return this.#isFatal;
    }

    get ignoreBOM(): boolean {
      return this.#keepsMark;
    }

    decode(input?: unknown, options: { readonly stream?: boolean } = {}): string {
      const bytes = bytesOf(input);
      const isEnd = !options.stream;
      const decode = (this.#decode ??= this.#begin());
      if (isEnd) this.#decode = null;
      let text: string;
      try {
        text = decode(bytes, isEnd);
      } catch (error) {
        this.#decode = null;
        throw error;
      }
      if (this.#isAtStart && text !== '') {
        this.#isAtStart = false;
        const hasMark = text.charCodeAt(0) === 0xfeff && this.#encoding !== 'windows-1252';
        if (hasMark && !this.#keepsMark) return text.slice(1);
      }
      return text;
    }

    #begin(): Decode {
      this.#isAtStart = true;
      const bad = () => {
        if (this.#isFatal) throw new TypeError('the bytes are not valid for their encoding');
        return replacement;
      };
      if (this.#encoding === 'utf-8') return utf8Decoder(bad);
      if (this.#encoding === 'windows-1252') return windowsDecoder();
      return utf16Decoder(bad, this.#encoding === 'utf-16be');
    }

    get [Symbol.toStringTag](): string {
      return 'TextDecoder';
    }
  }

  return { TextEncoder, TextDecoder };
}
