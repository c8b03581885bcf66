import { expect, test } from 'vitest';
import { PieceBuffers } from './piece-buffers.ts';

const kilobyte = 1024;

test('the memory of a piece that is given back serves the next, with its own bytes', () => {
  const buffers = new PieceBuffers(1e6);
  const first = buffers.encode('ä'.repeat(20 * kilobyte));
  buffers.giveBack(first);
  const second = buffers.encode('€'.repeat(11 * kilobyte));
  expect(second.buffer).toBe(first.buffer);
  expect(second.toString()).toBe('€'.repeat(11 * kilobyte));
});

test('memory that was not given back is not reused', () => {
  const buffers = new PieceBuffers(1e6);
  const first = buffers.encode('a'.repeat(20 * kilobyte));
  const second = buffers.encode('b'.repeat(20 * kilobyte));
  expect(second.buffer).not.toBe(first.buffer);
  expect(first.toString()).toBe('a'.repeat(20 * kilobyte));
});

test('memory that is given back twice is reused once, and foreign memory never', () => {
  const buffers = new PieceBuffers(1e6);
  const first = buffers.encode('a'.repeat(20 * kilobyte));
  const foreign = Buffer.alloc(20 * kilobyte);
  for (const buffer of [first, first, foreign]) buffers.giveBack(buffer);
  const next = [1, 2].map(() => buffers.encode('b'.repeat(20 * kilobyte)).buffer);
  expect(next[0]).toBe(first.buffer);
  expect(next[1]).not.toBe(first.buffer);
  expect(next).not.toContain(foreign.buffer);
});

test('keeps memory up to its bound, and uses no large buffer for a small piece', () => {
  const buffers = new PieceBuffers(100 * kilobyte);
  const [small, large] = [20, 90].map((size) => buffers.encode('a'.repeat(size * kilobyte)));
  for (const buffer of [small!, large!]) buffers.giveBack(buffer);
  // The small one had to go, the large one is too large for it.
  const next = buffers.encode('b'.repeat(20 * kilobyte)).buffer;
  expect([small!.buffer, large!.buffer]).not.toContain(next);
  expect(buffers.encode('b'.repeat(90 * kilobyte)).buffer).toBe(large!.buffer);
});
