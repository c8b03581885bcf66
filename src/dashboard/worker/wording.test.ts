import { describe, expect, test } from 'vitest';
import type { PageSigns, TaskView } from '../../worker/browser/page-messages.ts';
import {
  aboutIn,
  clockTime,
  counted,
  dataVolume,
  digits,
  duration,
  endsWhen,
  energy,
  listed,
  minutesOf,
  moment,
  percent,
  savedAt,
  warmth,
} from './wording.ts';

const minute = 60_000;
const hour = 60 * minute;
/** As it is read: whatever kind of space is between. */
const read = (text: string) => text.replaceAll(/\s/g, ' ');

describe('numbers', () => {
  test('are words up to ten, and grouped from a thousand on', () => {
    expect([1, 2, 10, 11].map((n) => counted(n, 'task'))).toEqual([
      'one task',
      'two tasks',
      'ten tasks',
      '11 tasks',
    ]);
    expect(read(digits(1_204_882))).toBe('1 204 882');
    expect(digits(999)).toBe('999');
  });

  test('are never 100 percent of what is open, and never 0 of what has begun', () => {
    expect([0, 0.001, 0.624, 0.999, 1].map((n) => read(percent(n)))).toEqual([
      '0 %',
      '1 %',
      '62 %',
      '99 %',
      '99 %',
    ]);
  });

  test('of data and power have three figures at most, and say when they are guessed', () => {
    expect([0, 40, 1_500, 61_400_000, 999_600_000].map((n) => read(dataVolume(n)))).toEqual([
      '0 kB',
      'under 1 kB',
      '1.5 kB',
      '61 MB',
      '1 GB',
    ]);
    expect([null, 100, 10_800, 9_000_000].map((n) => read(energy(n)))).toEqual([
      'not told',
      'under 0.1 Wh',
      'about 3 Wh',
      'about 2.5 kWh',
    ]);
  });
});

describe('times', () => {
  test('of help stand still for a minute', () => {
    const times = [0, 42_000, minute, 12.9 * minute, 72 * minute, 28 * hour];
    expect(times.map((ms) => read(duration(ms)))).toEqual([
      '0 min',
      '42 s',
      '1 min',
      '12 min',
      '1 h 12 min',
      '1 d 4 h',
    ]);
  });

  test('that are guessed are coarse', () => {
    const times = [500, 21_000, 57_000, 5 * minute, 33 * minute, hour, 2.2 * hour];
    expect(times.map(aboutIn)).toEqual([
      'in a few seconds',
      'in about 20 seconds',
      'in about a minute',
      'in about 5 minutes',
      'in about 35 minutes',
      'in about an hour',
      'in about 2 hours',
    ]);
  });

  test('of the day are read and written, and nonsense is none', () => {
    expect([0, 545, 1_439].map(clockTime)).toEqual(['00:00', '09:05', '23:59']);
    expect(['00:00', '09:05', '23:59', '24:00', '', 'noon'].map(minutesOf)).toEqual([
      0,
      545,
      1_439,
      null,
      null,
      null,
    ]);
  });

  test('of another day say so', () => {
    const now = new Date(2026, 2, 28, 23, 30).getTime();
    expect(moment(new Date(2026, 2, 28, 23, 45).getTime(), now)).toBe('23:45');
    expect(moment(new Date(2026, 2, 29, 7, 0).getTime(), now)).toBe('tomorrow, 07:00');
    expect(moment(new Date(2026, 2, 31, 7, 0).getTime(), now)).toMatch(/31.*, 07:00$|31.*07:00$/);
  });
});

describe('sentences', () => {
  test('about what was saved lose nothing and promise nothing', () => {
    expect(savedAt([])).toBe('');
    expect(read(savedAt([0.62]))).toBe('Nothing is lost. The task is saved at 62 %.');
    expect(read(savedAt([0.62, 0.27]))).toBe(
      'Nothing is lost. Two tasks are saved at 62 % and 27 %.',
    );
    expect(read(savedAt([0.62, null]))).toBe(
      'One task is saved at 62 %. One task had nothing to save yet and will begin anew.',
    );
    expect(savedAt([null, null])).toBe('Two tasks had nothing to save yet and will begin anew.');
  });

  test('about the end are silent while one task does not know it', () => {
    const task = (leftMs: number | null) => ({ leftMs }) as TaskView;
    expect(endsWhen([task(20_000)])).toBe('It ends in about 20 seconds.');
    expect(endsWhen([task(20_000), task(90_000)])).toBe('They end in about 2 minutes.');
    expect(endsWhen([task(20_000), task(null)])).toBe('');
    expect(endsWhen([])).toBe('');
  });

  test('list what there is', () => {
    expect([[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(listed)).toEqual([
      '',
      'a',
      'a and b',
      'a, b and c',
    ]);
  });

  test('tell warmth by pressure, else by load, else not at all', () => {
    const under = (pressure: string | null) => ({ pressure }) as PageSigns;
    expect(
      ['nominal', 'fair', 'serious', 'critical'].map((each) => warmth(under(each), 99)),
    ).toEqual(['cool', 'a bit warm', 'warm', 'warm, slower']);
    expect([10, 70, 95, null].map((load) => warmth(under(null), load))).toEqual([
      'cool',
      'a bit warm',
      'warm',
      'not told',
    ]);
  });
});
