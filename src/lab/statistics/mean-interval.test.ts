import { expect, test } from 'vitest';
import { draw } from '../chance/draw.ts';
import { streamOf } from '../chance/stream.ts';
import { Bootstrap } from './bootstrap.ts';
import { deviationOf, meanInterval } from './mean-interval.ts';
import { studentQuantile } from './student.ts';

// From the tables in any textbook.
test.each([
  [0.05, 1, 12.7062],
  [0.05, 2, 4.30265],
  [0.05, 3, 3.18245],
  [0.05, 5, 2.57058],
  [0.01, 10, 3.16927],
  [0.05, 29, 2.04523],
  [0.001, 4, 8.6103],
  [0.001, 29, 3.65941],
  [0.9, 7, 0.13029],
  [0.05, 1000, 1.96234],
])('with the probability %d Student’s t of %d degrees of freedom is beyond ±%d', (both, n, t) => {
  expect(studentQuantile(both, n) / t).toBeCloseTo(1, 3);
});

test.each([2, 3, 5, 10])('of %d values the interval holds the mean as often as it says', (size) => {
  const bootstrap = new Bootstrap(size, streamOf(1, 'resamples'));
  const stream = streamOf(size, 'values');
  const tries = 400;
  let held = 0;
  for (let i = 0; i < tries; i++) {
    const values = Array.from({ length: size }, () =>
      draw({ normal: { mean: 9, cv: 0.2 } }, stream),
    );
    const [low, high] = meanInterval(values, bootstrap, 0.95)!;
    if (low <= 9 && 9 <= high) held++;
  }
  // 95 % of 400 are 380, with a deviation of 4.4.
  expect(held).toBeGreaterThanOrEqual(380 - 14);
});

test('it reaches as far as the bootstrap on the side of a long tail', () => {
  const values = [1, 1, 1, 1, 1, 1, 1, 1, 1, 11];
  const bootstrap = new Bootstrap(10, streamOf(1, 'resamples'));
  const [, far] = bootstrap.interval(values, 0.95);
  const [low, high] = meanInterval(values, bootstrap, 0.95)!;
  expect(high).toBe(far);
  expect(low).toBeCloseTo(2 - (2.26216 * deviationOf(values)) / Math.sqrt(10), 3);
});

test('a single value has none, and equal ones have one without width', () => {
  expect(meanInterval([5], new Bootstrap(1, streamOf(1, 'x')), 0.95)).toBeNull();
  expect(meanInterval([5, 5, 5], new Bootstrap(3, streamOf(1, 'x')), 0.95)).toEqual([5, 5]);
});
