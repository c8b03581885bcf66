import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CountedJob, JobTotals, summarise } from './job-totals.ts';

describe('totals of jobs', () => {
  test('count jobs and tasks by what became of them', () => {
    const totals = new JobTotals({ from: -Infinity, now: 9_000 });
    totals.add(job(0, null, { status: 'pending' }));
    totals.add(job(0, null, { status: 'running', completed: 4, failed: 1 }));
    totals.add(job(0, 8_000, { status: 'failed', completed: 9, failed: 1 }));
    totals.add(job(0, 7_000, { status: 'cancelled' }));
    totals.add(job(0, 6_000, { completed: 10 }));
    expect(totals.jobs).toEqual({ total: 5, completed: 1, failed: 1, cancelled: 1, running: 1 });
    expect(totals.tasks).toEqual({ total: 50, completed: 23, failed: 2 });
    expect(totals.executionTime).toEqual({ mean: 6, median: 6, p95: 6, max: 6 });
  });

  test('cover the union of the intervals, open jobs until now', () => {
    const totals = new JobTotals({ from: -Infinity, now: 10_000 });
    // 9–10, 5–8 with 6–7 in it and 4–6 across its begin, 1–2: 1 + 4 + 1 seconds
    for (const [from, to] of [
      [9, null],
      [5, 8],
      [6, 7],
      [4, 6],
      [1, 2],
    ] as const) {
      totals.add(job(from * 1000, to === null ? null : to * 1000));
    }
    expect(totals.coveredSeconds).toBe(6);
  });

  test('cover nothing of before the period', () => {
    const totals = new JobTotals({ from: 6_000, now: 10_000 });
    for (const [from, to] of [
      [9, 10],
      [2, 8],
    ] as const)
      totals.add(job(from * 1000, to * 1000));
    expect(totals.coveredSeconds).toBe(3);
  });

  test('cover each moment once, whatever the intervals', () => {
    const interval = fc
      .tuple(fc.nat(40), fc.nat(40))
      .map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
    fc.assert(
      fc.property(fc.array(interval), (intervals) => {
        const totals = new JobTotals({ from: -Infinity, now: 40_000 });
        const ordered = intervals.toSorted((a, b) => b[1]! - a[1]!);
        for (const [from, to] of ordered) totals.add(job(from! * 1000, to! * 1000));
        const seconds = new Set(
          intervals.flatMap(([from, to]) =>
            Array.from({ length: to! - from! }, (_, i) => from! + i),
          ),
        );
        expect(totals.coveredSeconds).toBe(seconds.size);
      }),
    );
  });

  test('of a period that is over take what ended behind it as open, and leave out what began behind it', () => {
    const totals = new JobTotals({ from: 2_000, until: 8_000, now: 60_000 });
    totals.add(job(7_000, null));
    totals.add(job(8_000, null));
    totals.add(job(1_000, 8_000));
    totals.add(job(3_000, 5_000));
    expect(totals.jobs).toEqual({ total: 3, completed: 1, failed: 0, cancelled: 0, running: 2 });
    expect(totals.executionTime.mean).toBe(2);
    expect(totals.coveredSeconds).toBe(6);
  });

  test('of nothing are zeros and nulls', () => {
    const totals = new JobTotals({ from: -Infinity, now: 10_000 });
    expect(totals.coveredSeconds).toBe(0);
    expect(totals.executionTime).toEqual({ mean: null, median: null, p95: null, max: null });
  });

  test('a clock that was set back makes no negative time', () => {
    const totals = new JobTotals({ from: -Infinity, now: 5_000 });
    totals.add(job(8_000, null, { status: 'running' }));
    totals.add(job(7_000, 6_000));
    expect(totals.coveredSeconds).toBe(0);
    expect(totals.executionTime.mean).toBe(0);
  });
});

describe('a summary of times', () => {
  test('takes the middle one, or the mean of the two in the middle', () => {
    expect(summarise([9, 1, 2]).median).toBe(2);
    expect(summarise([9, 1, 2, 4]).median).toBe(3);
  });

  test('takes the time that 95 of 100 do not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect(summarise(hundred)).toEqual({ mean: 50.5, median: 50.5, p95: 95, max: 100 });
    expect(summarise([3, 1, 2]).p95).toBe(3);
    expect(summarise(Array.from({ length: 20 }, (_, i) => i + 1)).p95).toBe(19);
  });
});

function job(createdAt: number, completedAt: number | null, rest: Partial<CountedJob> = {}) {
  const status = completedAt === null ? 'running' : 'completed';
  const counts = { taskCount: 10, completed: 0, failed: 0 };
  return { status, createdAt, completedAt, ...counts, ...rest } as const;
}
