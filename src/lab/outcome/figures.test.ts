import { expect, test } from 'vitest';
import {
  decimalsFor,
  decimalsOfStep,
  signedDecimals,
  signedPercent,
  timesText,
  withDecimals,
} from './figures.ts';

test('figures have the decimals that are asked for, groups, and a sign that is no hyphen', () => {
  expect(withDecimals(1204.5, 1)).toBe('1 204.5');
  expect(withDecimals(-3.1518, 2)).toBe('−3.15');
  expect(withDecimals(-0.001, 2)).toBe('0.00');
  expect(withDecimals(0.1234567, 6)).toBe('0.123457');
  expect(withDecimals(Number.NaN, 1)).toBe('–');
  expect(signedDecimals(3.14, 1)).toBe('+3.1');
  expect(signedDecimals(0.01, 1)).toBe('0.0');
  expect(signedDecimals(-3.14, 1)).toBe('−3.1');
});

test('two digits of the middle interval count', () => {
  expect(decimalsFor([0.11, 0.7, 2.2], [])).toBe(2);
  expect(decimalsFor([35, 50, 60], [])).toBe(0);
  expect(decimalsFor([0, 0], [0.0312])).toBe(4);
  expect(decimalsFor([], [0, 4])).toBe(0);
  expect(decimalsFor([], [])).toBe(0);
});

test('ticks a step apart look different', () => {
  expect(decimalsOfStep(20)).toBe(0);
  expect(decimalsOfStep(0.5)).toBe(1);
  expect(decimalsOfStep(0.001)).toBe(3);
});

test('shares have a sign, ratios a cross', () => {
  expect(signedPercent(0.123)).toBe('+12 %');
  expect(signedPercent(-0.0051)).toBe('−0.51 %');
  expect(signedPercent(0.00001)).toBe('0 %');
  expect(timesText(1.7879)).toBe('1.79 ×');
});
