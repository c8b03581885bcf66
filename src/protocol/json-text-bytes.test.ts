import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainEnd, PlainRuns } from './json-text-bytes.ts';

/** The bytes at any distance from a multiple of four in memory. */
function placed(bytes: Uint8Array, offset: number): Uint8Array {
  const memory = new Uint8Array(offset + bytes.length);
  memory.set(bytes, offset);
  return memory.subarray(offset);
}

test('a run ends at the same byte whether one or four bytes are looked at', () => {
  const byte = fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0x20, max: 0x7f }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }) },
    { weight: 1, arbitrary: fc.constantFrom(0x1f, 0x20, 0x21, 0x22, 0x23, 0x5b, 0x5c, 0x5d, 0x80) },
  );
  fc.assert(
    fc.property(
      fc.array(byte, { maxLength: 80 }),
      fc.nat(7),
      fc.nat(80),
      fc.nat(80),
      (list, offset, one, other) => {
        const bytes = placed(Uint8Array.from(list), offset);
        const [from, end] = [one, other]
          .map((each) => Math.min(each, bytes.length))
          .toSorted((a, b) => a - b);
        const runs = new PlainRuns(bytes);
        expect(runs.end(from!, end!)).toBe(plainEnd(bytes, from!, end!));
        expect(runs.end(0, bytes.length)).toBe(plainEnd(bytes, 0, bytes.length));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('each byte that is not plain ends a run at each place in a word', () => {
  for (let byte = 0; byte < 256; byte++) {
    for (let at = 0; at < 8; at++) {
      const bytes = new Uint8Array(16).fill(0x7f);
      bytes[at] = byte;
      const isPlain = byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c;
      expect(new PlainRuns(bytes).end(0, 16)).toBe(isPlain ? 16 : at);
    }
  }
});
