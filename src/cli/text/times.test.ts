import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clockFor } from './times.ts';

const now = Date.parse('2026-03-01T12:00:00.000Z');
const before = process.env['TZ'];

function inZone(zone: string): void {
  beforeEach(() => {
    process.env['TZ'] = zone;
  });
  afterEach(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
}

describe('in UTC', () => {
  inZone('UTC');

  test('times of today have no date', () => {
    const clock = clockFor(['2026-03-01T10:20:01.005Z', null], now);
    expect(clock.text('2026-03-01T10:20:01.005Z')).toBe('10:20:01.005');
    expect(clock.text(null)).toBe(' '.repeat(12));
    expect(clock.short('2026-02-28T10:20:01.005Z')).toBe('2026-02-28 10:20:01');
    expect(clock.zone).toBe('UTC');
  });

  test('one of another day gives all a date', () => {
    const clock = clockFor(['2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'], now);
    expect(clock.text('2026-02-28T23:59:59.999Z')).toBe('2026-02-28 23:59:59.999');
    expect(clock.text('2026-03-01T00:00:00.000Z')).toBe('2026-03-01 00:00:00.000');
    expect(clock.text(null)).toBe(' '.repeat(23));
  });

  test('what is no time is shown as it is', () => {
    const clock = clockFor([], now);
    expect([clock.text('soon'), clock.short('soon')]).toEqual(['soon', 'soon']);
  });
});

describe.each([
  ['Australia/Darwin', '19:50:01.000', '2026-03-02 05:30:00', 'Australia/Darwin (UTC+09:30)'],
  ['America/New_York', '05:20:01.000', '15:00:00', 'America/New_York (UTC-05:00)'],
])('in %s', (zone, text, short, told) => {
  inZone(zone);

  test('times and days are those of the zone', () => {
    const clock = clockFor(['2026-03-01T10:20:01.000Z'], now);
    expect(clock.text('2026-03-01T10:20:01.000Z')).toBe(text);
    expect(clock.short('2026-03-01T20:00:00.000Z')).toBe(short);
    expect(clock.zone).toBe(told);
    expect(clock.within('From 2026-03-01T20:00:00.000Z on.')).toBe(`From ${short} on.`);
  });
});
