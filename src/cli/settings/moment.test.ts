import { describe, expect, test } from 'vitest';
import { timeSpan } from './flag-values.ts';
import { pastMoment } from './moment.ts';

const now = Date.parse('2026-03-10T12:00:00Z');

describe('a moment of the past', () => {
  test.each([
    ['7d', '2026-03-03T12:00:00.000Z'],
    ['1.5h', '2026-03-10T10:30:00.000Z'],
    ['30 min', '2026-03-10T11:30:00.000Z'],
    ['30m', '2026-03-10T11:30:00.000Z'],
    ['45s', '2026-03-10T11:59:15.000Z'],
    ['2028-02-29T00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2w', '2026-02-24T12:00:00.000Z'],
    ['2026-01-31T18:00Z', '2026-01-31T18:00:00.000Z'],
    ['2026-01-31T18:00:00.5+01:00', '2026-01-31T17:00:00.500Z'],
  ])('%s is %s', (text, iso) => {
    expect(new Date(pastMoment(text, now)).toISOString()).toBe(iso);
  });

  test('a day begins at midnight where the machine is', () => {
    expect(pastMoment('2026-01-31')).toBe(new Date(2026, 0, 31).getTime());
  });

  test.each([
    '',
    '7',
    '7 days',
    'yesterday',
    '2026-13-01',
    '2026-02-30',
    '2025-02-29T10:00',
    '2026-1-1',
    '-7d',
    '1e3d',
  ])('"%s" is none', (text) => {
    expect(() => pastMoment(text, now)).toThrow('is not a moment: how long ago, like 7d');
  });
});

test.each([
  ['90', 90],
  ['1.5', 2],
  ['90s', 90],
  ['30m', 1_800],
  ['30min', 1_800],
  ['2w', 1_209_600],
])('a span of time is written in the same way: %s', (text, seconds) => {
  expect(timeSpan(1, 10_000_000)(text)).toBe(seconds);
});

test.each(['', '30 minutes', 's', '.', '-3m'])('%j is no span of time', (text) => {
  expect(() => timeSpan(1, 100)(text)).toThrow('is not a time span');
});
