import { expect, test } from 'vitest';
import { LogHistogram, meanIn, quantileIn } from './log-histogram.ts';

test('quantiles are within 1 % of those of the values, and the mean is exact', () => {
  const histogram = new LogHistogram();
  const values = Array.from({ length: 1000 }, (_, i) => 0.01 * (i + 1) ** 2);
  for (const value of values) histogram.add(value);
  expect(meanIn(histogram)).toBeCloseTo(values.reduce((sum, each) => sum + each, 0) / 1000, 6);
  for (const [p, value] of [
    [0.5, values[499]!],
    [0.95, values[949]!],
    [1, values[999]!],
  ] as const) {
    expect(Math.abs(quantileIn(histogram, p) / value - 1)).toBeLessThan(0.01001);
  }
});

test('two put together are as one, also after a way between threads', () => {
  const [one, other, all] = [new LogHistogram(), new LogHistogram(), new LogHistogram()];
  for (const value of [0, 1, 2.5]) {
    one.add(value);
    all.add(value);
  }
  for (const value of [2.5, 1e9]) {
    other.add(value);
    all.add(value);
  }
  one.addAll(structuredClone(other));
  expect(one).toEqual(all);
  expect(quantileIn(new LogHistogram(), 0.5)).toBeNaN();
});
