import { expect, test } from 'vitest';
import { isBareToken, parseToken, tokenIdOf, tokenKinds, writeToken } from './token-text.ts';

const secret = 'Ab_-'.repeat(8);

test.for(tokenKinds)('reads the parts of a token of kind %s again', (kind) => {
  const parts = { kind, id: '0a1b2c3d', secret };
  expect(parseToken(writeToken(parts))).toEqual(parts);
});

test('writes the CRC-32 of everything before it as the last part', () => {
  // CRC-32 of the text without its last part is 0x1c903933.
  expect(writeToken({ kind: 'admin', id: '00000000', secret: 'A'.repeat(32) })).toBe(
    'mst_a_00000000_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA_07xb7sj',
  );
});

test('finds every typo of one character, and every text that was cut off', () => {
  const token = writeToken({ kind: 'client', id: 'abcdefgh', secret });
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x';
    expect(parseToken(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
    expect(parseToken(token.slice(0, at))).toBeUndefined();
  }
  expect(parseToken(`${token} `)).toBeUndefined();
});

test('makes an id of eight characters of any random digits', () => {
  expect(tokenIdOf('0'.repeat(64))).toBe('00000000');
  expect(tokenIdOf('f'.repeat(64))).toMatch(/^[0-9a-z]{8}$/);
});

test('knows the form of tokens that workers had before', () => {
  expect(isBareToken(secret)).toBe(true);
  expect(isBareToken(`${secret}x`)).toBe(false);
});
