import { expect, test } from 'vitest';
import { calmly } from './interruption.ts';

test('signals at one moment are one, a later one is the second', () => {
  let nowMs = 0;
  let heard = 0;
  const hear = calmly(
    () => heard++,
    () => nowMs,
  );
  for (const [atMs, count] of [
    [0, 1],
    [1, 1],
    [249, 1],
    [250, 2],
    [300, 2],
    [500, 3],
  ] as const) {
    nowMs = atMs;
    hear();
    expect(heard).toBe(count);
  }
});
