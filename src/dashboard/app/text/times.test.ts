import { expect, test } from 'vitest';
import {
  ago,
  clock,
  dayMoment,
  duration,
  exactMoment,
  moment,
  aboutDuration,
  roughDuration,
  wholeDuration,
} from './times.ts';

const plain = (text: string): string => text.replaceAll('\u202f', ' ');
const hour = 3_600;
const day = 24 * hour;

test.each([
  [0.84, '840 ms'],
  [0.9994, '999 ms'],
  [0.9999, '1 s'],
  [11.24, '11.2 s'],
  [59.9, '59.9 s'],
  [59.99, '1 min'],
  [252, '4 min 12 s'],
  [2 * hour + 630, '2 h 11 min'],
  [12 * day + 4 * hour, '12 d 4 h'],
  [3_599.7, '1 h'],
])('%d seconds last %s: two parts at most', (seconds, text) => {
  expect(plain(duration(seconds))).toBe(text);
});

test('what has no length cannot be told', () => {
  expect(duration(null)).toBe('n/a');
});

test('what ticks has whole seconds', () => {
  expect(plain(wholeDuration(9.4))).toBe('9 s');
  expect(plain(wholeDuration(-1))).toBe('0 s');
});

test.each([
  [4, 'a few seconds'],
  [42, '40 s'],
  [56, '1 min'],
  [610, '10 min'],
  [3_400, '57 min'],
  [3_450, '1 h'],
  [7_790, '2 h 10 min'],
  [11 * hour, '11 h'],
  [5 * day, '5 d'],
])('about %d seconds are %s', (seconds, text) => {
  expect(plain(roughDuration(seconds))).toBe(text);
});

const at = '2026-05-04T09:30:00.000Z';
const after = (seconds: number): number => Date.parse(at) + 1000 * seconds;

test.each([
  [-5, '0 s ago'],
  [12.9, '12 s ago'],
  [60, '1 min ago'],
  [3_599, '59 min ago'],
])('%d seconds later it was %s', (seconds, text) => {
  expect(plain(ago(at, after(seconds)))).toBe(text);
});

test('an hour later it is a time of the day, a day later it has its date', () => {
  const local = clock(new Date(at));
  expect(ago(at, after(hour))).toBe(local);
  expect(moment(at, after(day + 1))).toMatch(/^2026-05-0\d \d\d:\d\d$/);
});

test('a moment with its day says which one', () => {
  const noon = new Date(2026, 2, 1, 12).getTime();
  const on = (...date: readonly [number, number, number, number]) =>
    dayMoment(new Date(...date).toISOString(), noon);
  expect(on(2026, 2, 1, 9)).toBe('today 09:00:00');
  expect(on(2026, 1, 28, 23)).toBe('yesterday 23:00:00');
  expect(on(2026, 1, 27, 23)).toBe('2026-02-27 23:00');
});

test('the exact moment has its milliseconds and its zone', () => {
  expect(exactMoment(at)).toMatch(/^2026-05-0\d \d\d:\d\d:00\.000 UTC([+\u2212]\d\d:\d\d)?$/);
});

test('a length in a sentence is about so long, but for a few seconds', () => {
  expect(plain(aboutDuration(4))).toBe('a few seconds');
  expect(plain(aboutDuration(600))).toBe('about 10 min');
});
