import { expect, test } from 'vitest';
import { GatheredBytes } from './gathered-bytes.ts';

test('gives the pieces as one, and begins anew', () => {
  const bytes = new GatheredBytes();
  for (const piece of ['one', '', ' two', ' three']) bytes.push(Buffer.from(piece));
  expect(bytes.length).toBe(13);
  expect(bytes.take().toString()).toBe('one two three');
  expect(bytes.length).toBe(0);
  bytes.push(Buffer.from('four'));
  expect(bytes.take().toString()).toBe('four');
});

test('keeps no piece beside the bytes, however many there are', () => {
  const bytes = new GatheredBytes();
  const piece = Buffer.from('x');
  for (let i = 0; i < 100_000; i++) bytes.push(piece);
  piece.fill('y');
  const all = bytes.take();
  expect(all.length).toBe(100_000);
  // The first one is the piece itself until there is a second.
  expect(all.includes('y')).toBe(false);
  expect(all.buffer.byteLength).toBeLessThan(150_001);
});
