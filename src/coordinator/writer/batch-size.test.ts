import { expect, test } from 'vitest';
import { BatchSize } from './batch-size.ts';

function after(...batches: readonly (readonly [hasMore: boolean, turnMs: number])[]): number {
  const size = new BatchSize(300, 1_000);
  for (const [hasMore, turnMs] of batches) size.learn(hasMore, turnMs);
  return size.now;
}

const times = (count: number, batch: readonly [boolean, number]) =>
  Array.from({ length: count }, () => batch);

test('grows while more waits than fits, up to its bound', () => {
  expect(after([true, 3])).toBe(375);
  expect(after(...times(20, [true, 3]))).toBe(1_000);
});

test('does not grow beyond what takes ten milliseconds', () => {
  expect(after([true, 3], [true, 8])).toBe(375);
  expect(after([true, 3], [true, 3], [true, 12])).toBe(375);
});

test('is what it was at first when nothing waits, or turns are long', () => {
  expect(after(...times(20, [true, 3]), ...times(20, [false, 3]))).toBe(300);
  expect(after(...times(20, [true, 3]), ...times(20, [true, 40]))).toBe(300);
});
