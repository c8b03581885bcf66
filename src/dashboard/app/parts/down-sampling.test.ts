import { expect, test } from 'vitest';
import { downSample, stepLength, sumSteps } from './down-sampling.ts';

const bucketMs = 10_000;
const begins = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, place) => from + place * bucketMs);

test('a step is a whole number of buckets, and more than a pixel', () => {
  expect(stepLength(bucketMs, 5_000)).toBe(bucketMs);
  expect(stepLength(bucketMs, 9_000)).toBe(2 * bucketMs);
  expect(stepLength(bucketMs, 120_000)).toBe(15 * bucketMs);
  expect(stepLength(bucketMs, 10)).toBe(bucketMs);
});

test('an hour in steps of ten seconds is drawn as it is from 450 pixels on', () => {
  for (const width of [450, 700, 1_100]) {
    expect(stepLength(bucketMs, 3_600_000 / width)).toBe(bucketMs);
  }
});

test('a spike among many stays the most of its step, beside the mean', () => {
  const steps = downSample([1, 1, 100, 2], { times: begins(4), stepMs: 4 * bucketMs });
  expect(steps).toEqual({ times: [20_000], mean: [26], least: [1], most: [100] });
});

test('steps begin at whole multiples, so that a window that moves finds the same ones', () => {
  const values = [1, 2, 3, 4, 5, 6];
  const all = downSample(values, { times: begins(6), stepMs: 2 * bucketMs });
  const later = downSample(values.slice(1), { times: begins(5, bucketMs), stepMs: 2 * bucketMs });
  expect(later.times).toEqual(all.times);
  expect(later.mean.slice(1)).toEqual(all.mean.slice(1));
});

test('what was not measured is a gap, and no zero', () => {
  const steps = downSample([1, null, 3], { times: begins(3), stepMs: bucketMs });
  expect(steps.mean).toEqual([1, null, 3]);
});

test('buckets that are missing leave one gap between those that are there', () => {
  const steps = downSample([1, 2, 3], { times: [0, 10_000, 90_000], stepMs: bucketMs });
  expect(steps.mean).toEqual([1, 2, null, 3]);
  expect(steps.times).toEqual([5_000, 15_000, 25_000, 95_000]);
});

test('failures add up where rates have a mean', () => {
  expect(sumSteps([1, 0, 2, 5], { times: begins(4), stepMs: 2 * bucketMs })).toEqual([
    { atMs: 10_000, count: 1 },
    { atMs: 30_000, count: 7 },
  ]);
});
