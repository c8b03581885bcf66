import { expect, test } from 'vitest';
import {
  bytes,
  grouped,
  latency,
  measured,
  memory,
  percent,
  percentOf,
  rate,
  ratePerSecond,
  roughly,
  shortened,
  unknown,
  wholePercent,
} from './numbers.ts';

/** The narrow space, as people type it. */
const plain = (text: string): string => text.replaceAll('\u202f', ' ').replaceAll('\u2212', '-');

test.each([
  [0, '0'],
  [999, '999'],
  [1_204, '1 204'],
  [1_204_882, '1 204 882'],
  [-12_345, '-12 345'],
  [12.6, '13'],
])('%d in groups of three is %s', (count, text) => {
  expect(plain(grouped(count))).toBe(text);
});

test('the space between groups breaks no line', () => {
  expect(grouped(12_345)).toBe('12\u202f345');
});

test.each([
  [99_999, '99 999'],
  [100_000, '100 k'],
  [164_918, '165 k'],
  [999_499, '999 k'],
  [999_999, '1 M'],
  [1_204_882, '1.2 M'],
  [2_500_000_000, '2.5 G'],
])('%d in short is %s', (count, text) => {
  expect(plain(shortened(count))).toBe(text);
});

test.each([
  [0, '0'],
  [8.6, '8.6'],
  [0.42, '0.42'],
  [121.4, '121'],
  [1.25, '1.25'],
  [10.04, '10'],
  [9.999, '10'],
  [999.4, '999'],
  [1_234.5, '1 235'],
  [0.0004, '< 0.001'],
  [-3.5, '-3.5'],
])('%d as measured is %s: three figures at most', (value, text) => {
  expect(plain(measured(value))).toBe(text);
});

test.each([
  [0, '0 %'],
  [0.0000001, '< 0.1 %'],
  [0.614, '61.4 %'],
  [0.99996, '99.9 %'],
  [1, '100 %'],
])('a share of %d is %s: all and none only where it is so', (share, text) => {
  expect(plain(percent(share))).toBe(text);
});

test('a share of nothing cannot be told', () => {
  expect(percentOf(0, 0)).toBe(unknown);
  expect(plain(percentOf(12, 10_000))).toBe('0.1 %');
});

test.each([
  [999, '999 B'],
  [1_000, '1 kB'],
  [999_600, '1 MB'],
  [1_460_000_000, '1.46 GB'],
])('%d bytes are %s', (count, text) => {
  expect(plain(bytes(count))).toBe(text);
});

test.each([
  [119, '100'],
  [79.1, '80'],
  [0.16, '0.2'],
  [0, '0'],
])('%d is roughly %s', (value, text) => {
  expect(roughly(value)).toBe(text);
});

test('memory comes in megabytes', () => {
  expect(plain(memory(7_812))).toBe('7.81 GB');
});

test.each([
  [0, '0 tasks/s'],
  [22.14, '22.1 tasks/s'],
  [24.97, '25.0 tasks/s'],
  [121.2, '121 tasks/s'],
  [8, '8 tasks/s'],
  [0.1, '0.1 tasks/s'],
  [0.07, '4.2 tasks/min'],
  [0.0005, '1.8 tasks/h'],
])('%d tasks a second are told as %s', (perSecond, text) => {
  expect(plain(rate(perSecond))).toBe(text);
});

test('what cannot be told is n/a, never a number', () => {
  const told = [rate, ratePerSecond, bytes, memory, latency, wholePercent].flatMap((tell) => [
    tell(null),
    tell(undefined),
  ]);
  expect(new Set(told)).toEqual(new Set([unknown]));
});
