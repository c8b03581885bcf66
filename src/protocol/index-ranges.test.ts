import { expect, test } from 'vitest';
import { indexRangesText, parseIndexRanges } from './index-ranges.ts';

test('ranges are read as they are written', () => {
  const ranges = [
    { first: 0, last: 41 },
    { first: 43, last: 43 },
    { first: 50, last: 99 },
  ];
  expect(indexRangesText(ranges, 100)).toBe('0-41,43,50-99');
  expect(parseIndexRanges('0-41,43,50-99')).toEqual(ranges);
});

test('the longest are written when there is no room for all', () => {
  const ranges = [
    { first: 0, last: 1 },
    { first: 5, last: 5 },
    { first: 10, last: 90 },
  ];
  expect(indexRangesText(ranges, 10)).toBe('0-1,10-90');
  expect(indexRangesText(ranges, 9)).toBe('10-90');
  expect(indexRangesText(ranges, 3)).toBe('');
});

test.each([
  '',
  ',',
  '1,',
  '-1',
  '1-',
  '5-3',
  '3,3',
  '4,2',
  '1-5,5-9',
  '1.5',
  '0x1',
  ' 1',
  '9'.repeat(16),
])('no ranges: "%s"', (text) => {
  expect(parseIndexRanges(text)).toBeUndefined();
});
