// Writes DER (ITU-T X.690): the few kinds of values that a certificate is made of.

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
  generalizedTime: 0x18,
} as const;

function value(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

/** Up to 127 in one byte; above, the number of bytes that follow, and those. */
function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits = bigEndian(bytes);
  return Buffer.from([0x80 | digits.length, ...digits]);
}

function bigEndian(number: number): number[] {
  return number < 0x100 ? [number] : [...bigEndian(Math.floor(number / 0x100)), number % 0x100];
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return value(tags.sequence, Buffer.concat(parts));
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return value(tags.set, Buffer.concat(parts));
}

/** Not negative; the bytes in big-endian order. */
export function integer(bytes: Uint8Array): Buffer {
  const from = bytes.findIndex((byte) => byte !== 0);
  const digits = from === -1 ? Buffer.from([0]) : bytes.subarray(from);
  // The first bit is the sign.
  return value(tags.integer, digits[0]! < 0x80 ? digits : Buffer.from([0, ...digits]));
}

/** `1.2.840.10045.4.3.2`: the first two numbers share a byte, the others have seven bits a byte. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return value(tags.objectId, Buffer.from([40 * first + second, ...others.flatMap(sevenBits)]));
}

function sevenBits(number: number): number[] {
  const higher = Math.floor(number / 0x80);
  const rest = higher === 0 ? [] : sevenBits(higher).map((byte) => byte | 0x80);
  return [...rest, number % 0x80];
}

/** `unused`: bits at the end of the last byte that do not count. */
export function bitString(bytes: Uint8Array, unused = 0): Buffer {
  return value(tags.bitString, Buffer.from([unused, ...bytes]));
}

export function octetString(bytes: Uint8Array): Buffer {
  return value(tags.octetString, bytes);
}

export function text(characters: string): Buffer {
  return value(tags.utf8, Buffer.from(characters, 'utf8'));
}

export function yes(): Buffer {
  return value(tags.boolean, Buffer.from([0xff]));
}

/** In whole seconds. Years from 2050 on have four digits (RFC 5280, 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '');
  return date.getUTCFullYear() < 2050
    ? value(tags.utcTime, Buffer.from(digits.slice(2), 'latin1'))
    : value(tags.generalizedTime, Buffer.from(digits, 'latin1'));
}

/** A value that its place tells apart, not its kind: `[number]`. */
export function marked(number: number, content: Uint8Array, isConstructed: boolean): Buffer {
  return value(0x80 | (isConstructed ? 0x20 : 0) | number, content);
}
