import { expect, test } from 'vitest';
import { rangeIn, rangeText } from './task-range.ts';

test('a range of the address has both of its ends in it', () => {
  expect(rangeIn('6000-7000', 10_000)).toEqual({ from: 6_000, to: 7_001 });
  expect(rangeText({ from: 6_000, to: 7_001 }, 10_000)).toBe('6000-7000');
});

test('what is no range, or beyond the job, is the whole job', () => {
  for (const text of [null, '', '7', '9-3', '-4-5', '20000-30000', '1e3-2e3']) {
    expect(rangeIn(text, 10_000)).toEqual({ from: 0, to: 10_000 });
  }
  expect(rangeIn('9990-20000', 10_000)).toEqual({ from: 9_990, to: 10_000 });
  expect(rangeText({ from: 0, to: 10_000 }, 10_000)).toBeNull();
});
