import { describe, expect, test } from 'vitest';
import { devices } from './devices.ts';
import { inHindsight, learnedFor } from './learned.ts';
import type { Measured, MeasuredRun } from './measured.ts';
import { duringOf, medianOf, type TimedAttempt } from './speeds.ts';

function run(mix: string, seed: number, tasks: number, speed: number, betweenMs: number | null) {
  const others = { speed: 0.5, betweenMs: 10 };
  return {
    mix,
    contender: 'fifo',
    seed,
    makespanSeconds: 10,
    tasks: [tasks, 5, 5, 5, 0],
    during: [tasks === 0 ? null : { speed, betweenMs }, others, others, others, null],
  } satisfies MeasuredRun;
}

function measuredOf(runs: MeasuredRun[]): Measured {
  const way = { latencyMs: 2, commitMs: 1 };
  return { calibration: 1, machine: 'any', turnsPerSecond: 1e9, ...way, runs };
}

describe('what is learned of devices', () => {
  test('other repetitions tell the speed, each second of work as much as any other', () => {
    const runs = [run('even', 1, 9, 0.9, 5), run('even', 2, 3, 0.1, 5), run('few', 3, 1, 0.2, 5)];
    const { speeds } = learnedFor(measuredOf(runs), runs[0]!);
    expect(speeds[0]).toBeCloseTo((3 * 0.24 * 0.1 + 1 * 1 * 0.2) / (3 * 0.24 + 1), 12);
    expect(speeds[1]).toBeCloseTo(0.5, 12);
    // It never had a task: what it was meant to be.
    expect(speeds[4]).toBe(devices[4]!.share);
  });

  test('how long it takes to begin is told by runs with the same payload, less the way', () => {
    const runs = [
      run('even', 1, 2, 1, 99),
      run('log-normal', 2, 3, 1, 8),
      run('short', 2, 3, 1, 50),
    ];
    expect(learnedFor(measuredOf(runs), runs[0]!).startMs.slice(0, 2)).toEqual([5, 7]);
  });

  test('what short tasks run longer than their work takes counts as their begin', () => {
    const runs = [
      run('short', 1, 9, 9, 9),
      run('even', 2, 3, 0.1, 8),
      run('short', 2, 3, 0.06, 13),
    ];
    const { speeds, startMs } = learnedFor(measuredOf(runs), runs[0]!);
    expect(speeds[0]).toBeCloseTo(0.1, 12);
    // 0.03 s of work take 500 ms instead of 300.
    expect(startMs[0]).toBeCloseTo(200 + 10, 9);
  });

  test('less than the way is nothing', () => {
    const runs = [run('even', 1, 2, 1, 1), run('even', 2, 2, 1, 1)];
    expect(learnedFor(measuredOf(runs), runs[0]!).startMs[0]).toBe(0);
  });

  test('one repetition alone cannot be predicted', () => {
    const runs = [run('even', 1, 2, 1, 1), run('short', 1, 2, 1, 1)];
    expect(() => learnedFor(measuredOf(runs), runs[0]!)).toThrow(/other repetitions/);
  });

  test('in hindsight devices are as they were, and those that had no task as they had been', () => {
    const runs = [
      run('few', 1, 1, 0.3, null),
      run('few', 2, 4, 0.2, 13),
      run('few', 3, 0, 0, null),
    ];
    const measured = measuredOf(runs);
    const seen = inHindsight(measured, runs[0]!);
    expect(seen.speeds[0]).toBeCloseTo(0.3, 12);
    expect(seen.startMs[0]).toBeCloseTo(10, 12);
    expect(inHindsight(measured, runs[2]!).speeds[0]).toBeCloseTo((0.3 + 4 * 0.2) / 5, 12);
  });
});

describe('what attempts tell', () => {
  const attempt = (index: number, ran: number | null, end: number): TimedAttempt => ({
    index,
    ran_seconds: ran,
    ended_at: new Date(1000 * end).toISOString(),
  });

  test('speed is work over run time, and between two tasks is what is left of the time', () => {
    const during = duringOf(
      [attempt(2, 1, 1), attempt(0, 1, 2.1), attempt(1, 2, 4.3)],
      [0.1, 0.4, 0.3],
    );
    expect(during!.speed).toBeCloseTo(0.8 / 4, 12);
    expect(during!.betweenMs).toBeCloseTo(150, 6);
  });

  test('a single task tells nothing of the time between two, and none tells nothing', () => {
    expect(duringOf([attempt(0, 4, 4)], [1])).toEqual({ speed: 0.25, betweenMs: null });
    expect(duringOf([], [1])).toBeNull();
  });

  test('a device that does not say how long anything ran has no speed', () => {
    expect(() => duringOf([attempt(0, null, 1)], [1])).toThrow(/how long it ran/);
  });

  test('the median is the one in the middle, or between the two', () => {
    expect([medianOf([3, 1, 2]), medianOf([4, 1, 2, 3]), medianOf([7])]).toEqual([2, 2.5, 7]);
  });
});
