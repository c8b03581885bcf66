import { expect, test } from 'vitest';
import { holdOrder } from './held-order.ts';

test('nothing is held: rows stand as they would', () => {
  expect(holdOrder(null, ['b', 'a'])).toEqual({ shown: ['b', 'a'], moved: 0 });
});

test('held rows keep their places, and it is told how many would move', () => {
  expect(holdOrder(['a', 'b', 'c'], ['c', 'b', 'a'])).toEqual({ shown: ['a', 'b', 'c'], moved: 2 });
});

test('rows that are gone leave, which moves none', () => {
  expect(holdOrder(['a', 'b', 'c'], ['a', 'c'])).toEqual({ shown: ['a', 'c'], moved: 0 });
});

test('new rows wait, and are counted', () => {
  expect(holdOrder(['a', 'b'], ['new', 'a', 'b'])).toEqual({ shown: ['a', 'b'], moved: 1 });
});

test('nothing is left of what was held', () => {
  expect(holdOrder(['a'], ['b'])).toEqual({ shown: [], moved: 1 });
});
