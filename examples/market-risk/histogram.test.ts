import { expect, test } from 'vitest';
import {
  type Histogram,
  meanOfLowest,
  mergeHistograms,
  quantile,
  shareBelow,
} from './histogram.ts';

// Ten below 0, twenty in [0, 0.5), ten in [1, 1.5); nothing between.
const HAND_MADE: Histogram = { width: 0.5, first: -1, counts: [10, 20, 0, 10], total: 40 };

test('percentiles are found inside the bin that holds them', () => {
  expect(quantile(HAND_MADE, 0.125)).toBe(-0.25);
  expect(quantile(HAND_MADE, 0.25)).toBe(0);
  expect(quantile(HAND_MADE, 0.5)).toBe(0.25);
  expect(quantile(HAND_MADE, 0.75)).toBe(0.5);
  expect(quantile(HAND_MADE, 0.875)).toBe(1.25);
});

test('the lowest and the highest percentile are the ends of the counts', () => {
  expect(quantile(HAND_MADE, 0)).toBe(-0.5);
  expect(quantile(HAND_MADE, 1)).toBe(1.5);
});

test('the share below a limit is exact at the edges of bins and even within them', () => {
  expect(shareBelow(HAND_MADE, 0)).toBe(0.25);
  expect(shareBelow(HAND_MADE, 0.25)).toBe(0.5);
  expect(shareBelow(HAND_MADE, 0.7)).toBe(0.75);
  expect(shareBelow(HAND_MADE, Number.NEGATIVE_INFINITY)).toBe(0);
  expect(shareBelow(HAND_MADE, Number.POSITIVE_INFINITY)).toBe(1);
});

test('the mean of the lowest share is the integral of e^x over it', () => {
  const lowest = (1 - Math.exp(-0.5)) / 0.5;
  expect(meanOfLowest(HAND_MADE, 0.25)).toBeCloseTo(lowest, 12);
  const next = (Math.exp(0.25) - 1) / 0.25;
  expect(meanOfLowest(HAND_MADE, 0.5)).toBeCloseTo((lowest + next) / 2, 12);
});

test('parts with different first bins are added bin by bin', () => {
  const merged = mergeHistograms(0.5, [
    { first: 0, counts: [1, 2] },
    { first: -2, counts: [5] },
    { first: 1, counts: [10, 20] },
  ]);
  expect(merged).toEqual({ width: 0.5, first: -2, counts: [5, 0, 1, 12, 20], total: 38 });
});
