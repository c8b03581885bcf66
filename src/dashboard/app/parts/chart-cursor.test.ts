import { expect, test } from 'vitest';
import { bucketAt } from './chart-cursor.ts';

const times = [0, 10, 20, 50];

test.each([
  [0, 0],
  [9, 0],
  [10, 1],
  [29, 2],
  [59, 3],
])('the moment %d lies in bucket %d', (at, place) => {
  expect(bucketAt(times, 10, at)).toBe(place);
});

test.each([-1, 30, 49, 60, null])('the moment %s lies in none', (at) => {
  expect(bucketAt(times, 10, at)).toBeNull();
});
