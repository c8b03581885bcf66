import { expect, test } from 'vitest';
import { type HeldTop, holdTop, linesOf, roundTop } from './chart-scale.ts';

test.each([
  [0, 1],
  [0.04, 0.05],
  [8, 10],
  [10, 15],
  [26, 30],
  [28, 40],
  [900, 1000],
  [1000, 1500],
  [123_456, 150_000],
])('above %d the scale ends at %d: round, with a tenth of air', (most, top) => {
  expect(roundTop(most)).toBe(top);
});

test('there are three to five lines, from 0 to the top, at numbers with two figures at most', () => {
  for (const size of [0.01, 1, 100, 1e6]) {
    for (const factor of [1, 1.5, 2, 3, 4, 5, 6, 8, 10]) {
      const lines = linesOf(factor * size);
      expect(lines.length).toBeGreaterThanOrEqual(3);
      expect(lines.length).toBeLessThanOrEqual(5);
      expect(lines[0]).toBe(0);
      expect(lines.at(-1)).toBeCloseTo(factor * size, 9);
      for (const line of lines) expect(Number(line.toPrecision(2))).toBe(line);
    }
  }
});

test('what would stand above the scale raises it at once', () => {
  const held = holdTop(holdTop(null, 26, 0), 31, 1);
  expect(held).toEqual({ top: 40, looseSinceMs: null });
});

test('within its air the scale stays', () => {
  expect(holdTop(holdTop(null, 26, 0), 29.9, 1).top).toBe(30);
});

test('it shrinks after ten seconds in which a smaller one would do, and not before', () => {
  let held: HeldTop = holdTop(null, 26, 0);
  held = holdTop(held, 5, 1_000);
  held = holdTop(held, 5, 10_999);
  expect(held.top).toBe(30);
  held = holdTop(held, 5, 11_000);
  expect(held).toEqual({ top: 6, looseSinceMs: null });
});

test('a value that comes back in between begins the ten seconds anew', () => {
  let held = holdTop(null, 26, 0);
  held = holdTop(held, 5, 1_000);
  held = holdTop(held, 27, 9_000);
  held = holdTop(held, 5, 12_000);
  expect(held).toEqual({ top: 30, looseSinceMs: 12_000 });
});
