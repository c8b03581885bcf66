import { describe, expect, test } from 'vitest';
import { closest } from '../../protocol/closest-name.ts';
import { didYouMean } from '../suggestion.ts';
import { ago, ahead, counted, duration, percent } from './wording.ts';

test.each([
  [0, '0 ms'],
  [349.6, '350 ms'],
  [4_200, '4.2 s'],
  [9_949, '9.9 s'],
  [9_950, '10 s'],
  [59_600, '1 min'],
  [185_000, '3 min 5 s'],
  [3_600_000, '1 h'],
  [2 * 86_400_000 + 4 * 3_600_000, '2 d 4 h'],
])('%d ms last "%s"', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test.each([
  [-5, 'just now'],
  [1, 'just now'],
  [5, '5 s ago'],
  [3_599, '59 min ago'],
  [3_600, '1 h ago'],
  [200_000, '2 d ago'],
])('%d s back is "%s"', (seconds, text) => {
  const nowMs = Date.parse('2026-03-01T12:00:00.000Z');
  expect(ago(new Date(nowMs - seconds * 1_000).toISOString(), nowMs)).toBe(text);
});

test('counts and shares', () => {
  expect(counted(1, 'task')).toBe('1 task');
  expect(counted(1_234_567, 'task')).toBe('1 234 567 tasks');
  expect(percent(0.314)).toBe('31 %');
  expect(percent(0.9999)).toBe('99 %');
  expect(percent(1)).toBe('100 %');
});

describe('a suggestion', () => {
  const names = ['fifo', 'round_robin', 'edas', 'aras'];

  test.each([
    ['fiffo', 'fifo'],
    ['edsa', 'edas'],
    ['round-robin', 'round_robin'],
    ['FIFO', 'fifo'],
    ['round', 'round_robin'],
    ['zzz', undefined],
    ['', undefined],
  ])('for %j is %j', (given, name) => {
    expect(closest(given, names)).toBe(name);
  });

  test('is a sentence, or nothing', () => {
    expect(didYouMean('edsa', names)).toEqual(['Did you mean "edas"?']);
    expect(didYouMean('zzz', names)).toEqual([]);
  });
});

test.each([
  ['now', 1],
  ['in 10 s', 10],
  ['in 1 min', 59.6],
  ['in 30 min', 1_799],
  ['in 1 h', 3_598],
  ['in 1 h', 3_599.7],
  ['in 1 d', 86_390],
  ['in 3 d', 3 * 86_400 - 1],
])('what ends is %s ahead: %d s', (text, seconds) => {
  const nowMs = Date.UTC(2026, 5, 1);
  expect(ahead(new Date(nowMs + seconds * 1_000).toISOString(), nowMs)).toBe(text);
});
