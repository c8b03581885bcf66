import { expect, test } from 'vitest';
import { spreadOf } from './chart-spread.ts';

test('the median stands between, and nine of ten are in the band', () => {
  const lines = Array.from({ length: 21 }, (_, place) => [place * 10]);
  expect(spreadOf(lines)).toEqual({ median: [100], low: [10], high: [190] });
});

test('lines that have no value there do not count, and where none has there is a gap', () => {
  const spread = spreadOf([
    [1, null],
    [null, null],
    [3, null],
  ]);
  expect(spread.median).toEqual([2, null]);
  expect(spread.low[1]).toBeNull();
});

test('of no lines there is nothing', () => {
  expect(spreadOf([])).toEqual({ median: [], low: [], high: [] });
});
