import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from './sha256.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

// FIPS 180-4, examples B.1 and B.2.
test.each([
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
])('hashes %s as the standard does', (text, digest) => {
  expect(hex(sha256(Buffer.from(text)))).toBe(digest);
});

test('hashes every length around the blocks as Node does', () => {
  for (let length = 0; length <= 200; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7);
    expect(hex(sha256(bytes))).toBe(expected(bytes));
  }
});

test('hashes any bytes, and parts of larger ones, as Node does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.nat(100), (bytes, from) => {
      const part = bytes.subarray(from);
      expect(hex(sha256(part))).toBe(expected(part));
    }),
  );
});
