import { expect, test } from 'vitest';
import { HeldWork } from './held-work.ts';

test('counts what has at least a priority', () => {
  const held = new HeldWork();
  for (const [priority, ms] of [
    [0, 1],
    [5, 2],
    [0, 3],
    [-3, 4],
    [9, 5],
  ] as const) {
    held.add(priority, ms);
  }
  expect(held.from(10)).toEqual({ count: 0, expectedMs: 0 });
  expect(held.from(9)).toMatchObject({ count: 1, expectedMs: 5 });
  expect(held.from(1)).toEqual({ count: 2, expectedMs: 7 });
  expect(held.from(0)).toEqual({ count: 4, expectedMs: 11 });
  expect(held.from(-Infinity)).toEqual({ count: 5, expectedMs: 15 });
  held.remove(5, 2);
  held.remove(0, 1);
  expect(held.from(0)).toEqual({ count: 2, expectedMs: 8 });
});

test('has nothing when all is taken out', () => {
  const held = new HeldWork();
  held.add(1, 0.1);
  held.add(2, 0.2);
  held.remove(1, 0.1);
  held.remove(2, 0.2);
  expect(held.from(-Infinity)).toEqual({ count: 0, expectedMs: 0 });
});
