import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { imageName, unwrapImage, wrapImage } from './memory-image.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const memory = Uint8Array.from({ length: 1000 }, (_, i) => i);

test('comes out of its file as it went in', async () => {
  const file = await wrapImage(memory, sha256);
  expect(await unwrapImage(file, sha256)).toEqual(memory);
});

test('has a name that is a hash', async () => {
  expect(await imageName(sha256)).toMatch(/^[0-9a-f]{64}$/);
});

test.each([
  ['a byte of it has changed', (file: Uint8Array) => file.with(700, 7)],
  ['a byte of its head has changed', (file: Uint8Array) => file.with(30, 7)],
  ['its end is missing', (file: Uint8Array) => file.subarray(0, -1)],
  ['it ends in its head', (file: Uint8Array) => file.subarray(0, 40)],
  ['it is empty', () => new Uint8Array()],
])('is none when %s', async (_name, damage) => {
  const file = await wrapImage(memory, sha256);
  expect(await unwrapImage(damage(file), sha256)).toBeNull();
});

test('is none when it was made of something else', async () => {
  const file = await wrapImage(memory, sha256);
  const others = (bytes: Uint8Array) => sha256(bytes.length > 2000 ? bytes.subarray(1) : bytes);
  expect(await unwrapImage(file, others)).toBeNull();
});
