import { expect, test } from 'vitest';
import {
  capitalized,
  compareNames,
  counted,
  inWords,
  listed,
  listedFirst,
  nameOf,
  shortId,
} from './words.ts';

test.each([
  [0, '0 tasks'],
  [1, '1 task'],
  [1_204, '1\u202f204 tasks'],
])('%d are %s', (count, text) => {
  expect(counted(count, 'task')).toBe(text);
});

test.each([
  [0, 'no job'],
  [1, 'one job'],
  [12, 'twelve jobs'],
  [13, '13 jobs'],
])('%d in words are %s', (count, text) => {
  expect(inWords(count, 'job')).toBe(text);
});

test('a plural can be another word', () => {
  expect(inWords(2, 'this', 'these')).toBe('two these');
});

test('lists end with and', () => {
  expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listed)).toEqual([
    '',
    'a',
    'a and b',
    'a, b and c',
  ]);
});

test('sentences begin with a large letter', () => {
  expect(capitalized('three')).toBe('Three');
  expect(capitalized('')).toBe('');
});

test('without a name the beginning of the id stands for it', () => {
  const id = '01a1fda8-9034-756a-8c13-0ae29b6757cf';
  expect(nameOf({ name: 'atlas', id })).toBe('atlas');
  expect(nameOf({ name: '', id })).toBe('01a1fda8-9034');
  expect(nameOf({ name: null, id })).toBe(shortId(id));
  expect(shortId('short')).toBe('short');
});

test('a name does not turn the numbers of the sentence in which it stands', () => {
  const name = 'a\u202egnp.exe\u2066b';
  expect(`${nameOf({ name, id: 'x' })} is at 12 %`).toBe('a\ufffdgnp.exe\ufffdb is at 12 %');
  expect(nameOf({ name: 'שלום 12', id: 'x' })).toBe('שלום 12');
});

test('names with numbers stand in the order of the numbers', () => {
  expect(['desk-10', 'desk-2', 'Atlas', 'desk-1'].toSorted(compareNames)).toEqual([
    'Atlas',
    'desk-1',
    'desk-2',
    'desk-10',
  ]);
});

test('of many the first are listed, and how many more there are', () => {
  expect(listedFirst(['a', 'b', 'c'])).toBe('a, b and c');
  expect(listedFirst(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
});
