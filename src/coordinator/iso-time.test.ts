import { expect, test } from 'vitest';
import { isoTime } from './iso-time.ts';

test('says the same as the calendar, whatever was asked before', () => {
  const moments = [
    0, 999, 1_000, -1, -1_001, 1_795_891_029_560, 253_402_300_799_999, -62_135_596_800_000,
  ];
  for (const each of [...moments, ...moments.toReversed(), 0.5, 1_795_891_029_560.9]) {
    expect(isoTime(each)).toBe(new Date(each).toISOString());
  }
});

test('what is no moment is refused, and the next one is right', () => {
  expect(() => isoTime(NaN)).toThrow(RangeError);
  expect(() => isoTime(Infinity)).toThrow(RangeError);
  expect(isoTime(1_001)).toBe('1970-01-01T00:00:01.001Z');
});
