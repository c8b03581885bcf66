import { expect, test } from 'vitest';
import { rangeOf, seriesPath } from './series-path.ts';

const box = { width: 100, height: 50, most: 100 };

test('values are points from left to right, on a scale that is fixed', () => {
  expect(seriesPath([0, 50, 100], box)).toBe('M0.0 50.0L50.0 25.0L100.0 0.0');
});

test('a gap is a gap, and a point between two gaps is seen', () => {
  expect(seriesPath([0, null, 100, null, 50], box)).toBe('M0.0 50.0h2M50.0 0.0h2M100.0 25.0h2');
});

test('what is above the scale stays in the picture', () => {
  expect(seriesPath([180, 100], box)).toBe('M0.0 0.0L100.0 0.0');
});

test('the range leaves out what was not told', () => {
  expect(rangeOf([null, 30, 10, null])).toEqual({ last: 10, least: 10, most: 30 });
  expect(rangeOf([null])).toBeNull();
});
