import { describe, expect, test } from 'vitest';
import { TaskClock } from './task-clock.ts';
import { taskDate } from './task-date.ts';

function stage() {
  const time = { ms: 5_000 };
  const clock = new TaskClock(() => time.ms);
  return { time, clock, TaskDate: taskDate(clock) as DateConstructor };
}

describe('the time of a task', () => {
  test('begins in 2000 and runs with the clock', () => {
    const { time, TaskDate } = stage();
    expect(new TaskDate().toISOString()).toBe('2000-01-01T00:00:00.000Z');
    time.ms += 61_500;
    expect(new TaskDate().toISOString()).toBe('2000-01-01T00:01:01.500Z');
    expect(TaskDate.now()).toBe(Date.UTC(2000, 0, 1, 0, 1, 1, 500));
  });

  test('begins anew with every attempt', () => {
    const { time, clock, TaskDate } = stage();
    time.ms += 9_000;
    clock.restart();
    expect(new TaskDate().getSeconds()).toBe(0);
    expect(clock.elapsedMs()).toBe(0);
  });

  test('knows no time zone but UTC', () => {
    const { TaskDate } = stage();
    const date = new TaskDate(2024, 1, 29, 23, 58, 57);
    expect(date.toISOString()).toBe('2024-02-29T23:58:57.000Z');
    const fields = [date.getFullYear(), date.getMonth(), date.getDate(), date.getDay()];
    expect(fields).toEqual([2024, 1, 29, 4]);
    expect([date.getHours(), date.getMinutes(), date.getSeconds()]).toEqual([23, 58, 57]);
    expect(date.getTimezoneOffset()).toBe(0);
    expect(date.toTimeString()).toBe('23:58:57 GMT+0000 (UTC)');
  });

  test('is made of a number, a text or another date', () => {
    const { TaskDate } = stage();
    expect(new TaskDate(1000).getTime()).toBe(1000);
    expect(new TaskDate('2001-01-01T00:00:00Z').getTime()).toBe(Date.UTC(2001, 0, 1));
    expect(new TaskDate(new TaskDate(7)).getTime()).toBe(7);
    expect(new TaskDate(Number.NaN).getTimezoneOffset()).toBeNaN();
  });
});
