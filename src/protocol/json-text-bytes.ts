// The bytes between the quotes of a JSON string: plain characters, escapes, and characters beyond ASCII,
// which must be UTF-8.

const quote = 0x22;
const backslash = 0x5c;

/** 1 for a byte that stands for itself within a text: ASCII without controls, `"` and `\`. */
const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(byte >= 0x20 && byte < 0x80 && byte !== quote && byte !== backslash),
);

/** The position of the first byte from here on that is not plain, or `end`. */
export function plainEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && plain[bytes[at]!] === 1) at++;
  return at;
}

/** Of a long run, four bytes are looked at together. */
export class PlainRuns {
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  /** Where the first word begins: words lie at multiples of four in memory, and the bytes may begin anywhere. */
  readonly #wordsFrom: number;

  constructor(bytes: Uint8Array) {
    const from = -bytes.byteOffset & 3;
    const count = Math.max(0, (bytes.length - from) >> 2);
    this.#bytes = bytes;
    this.#wordsFrom = from;
    this.#words = new Int32Array(bytes.buffer, count === 0 ? 0 : bytes.byteOffset + from, count);
  }

  /** The position of the first byte from here on that is not plain, or `end`. */
  end(from: number, end: number): number {
    const words = this.#words;
    const first = this.#wordsFrom;
    const begin = Math.max(from, first);
    const aligned = begin + (-(begin - first) & 3);
    const at = plainEnd(this.#bytes, from, Math.min(aligned, end));
    if (at !== aligned) return at;
    const last = (end - first) >> 2;
    let word = (aligned - first) >> 2;
    while (word < last && isPlainWord(words[word]!)) word++;
    return plainEnd(this.#bytes, Math.max(at, first + 4 * word), end);
  }
}

/**
 * In a byte below 0x80, the highest bit is set by `- 0x20` when it is a control, by `- 1` when it was the
 * character. What a byte borrows from the next one can only make that one look worse, when this one is not plain
 * anyhow.
 */
function isPlainWord(word: number): boolean {
  const controls = word - 0x20202020;
  const quotes = (word ^ 0x22222222) - 0x01010101;
  const backslashes = (word ^ 0x5c5c5c5c) - 0x01010101;
  return ((word | controls | quotes | backslashes) & 0x80808080) === 0;
}

/** The end of the escape that begins at `at` with a backslash; -1 when it is not valid. */
export function escapeEnd(bytes: Uint8Array, at: number, end: number): number {
  if (at + 1 >= end) return -1;
  switch (bytes[at + 1]) {
    case 0x22: // "
    case 0x5c: // \
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return at + 2;
    case 0x75: // u
      return areHex(bytes, at + 2, end) ? at + 6 : -1;
    default:
      return -1;
  }
}

/**
 * The end of the character beyond ASCII that begins at `at`; -1 when the bytes are not UTF-8. The bounds
 * of the second byte are those of table 3-7 of the Unicode standard: no overlong form, no surrogate,
 * nothing above U+10FFFF.
 */
export function characterEnd(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]!;
  if (first < 0xc2 || first > 0xf4) return -1;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > end) return -1;
  const second = bytes[at + 1]!;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return -1;
  for (let i = 2; i < length; i++) {
    if ((bytes[at + i]! & 0xc0) !== 0x80) return -1;
  }
  return at + length;
}

function areHex(bytes: Uint8Array, from: number, end: number): boolean {
  if (from + 4 > end) return false;
  for (let i = from; i < from + 4; i++) {
    const byte = bytes[i]!;
    const isHex =
      (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
    if (!isHex) return false;
  }
  return true;
}
