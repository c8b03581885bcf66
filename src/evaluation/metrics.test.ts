import { expect, test } from 'vitest';
import { JobTotals } from './job-totals.ts';
import { metrics } from './metrics.ts';
import { work } from './testing/works.ts';

const noRecoveries = { events: 0, recovered: 0, resumed: 0, msToResume: 0, workSavedSeconds: 0 };

test('a job of 12 tasks, one of which failed, on two workers within 4 seconds', () => {
  const totals = new JobTotals({ from: -Infinity, now: 99_000 });
  totals.add({
    status: 'failed',
    createdAt: 1_000,
    completedAt: 5_000,
    taskCount: 12,
    completed: 11,
    failed: 1,
  });
  const works = [
    work('a', { completed: 8, failed: 3, retried: 2, completedMs: 4_000, energyJoules: 6 }),
    work('b', { completed: 3, completedMs: 1_500, energyJoules: 0.5, wastedMs: 750 }),
  ];
  const recoveries = {
    events: 3,
    recovered: 2,
    resumed: 2,
    msToResume: 2_500,
    workSavedSeconds: 1.5,
  };
  expect(metrics({ totals, works, counted: works, recoveries, isPartial: false })).toEqual({
    jobs: { total: 1, completed: 0, failed: 1, cancelled: 0, running: 0 },
    tasks: { total: 12, completed: 11, failed: 1, retried: 2, recovered: 2 },
    jobExecutionTimeSeconds: { mean: null, median: null, p95: null, max: null },
    averageTaskTimeSeconds: 0.5,
    throughputTasksPerSecond: 2.75,
    // 11² / (2 · (64 + 9)) = 121 / 146
    jainsFairnessIndex: expect.closeTo(0.828767123, 9) as number,
    energyJoules: 6.5,
    recovery: { events: 3, meanSecondsToResume: 1.25, workSavedSeconds: 1.5, wastedSeconds: 0.75 },
  });
});

test('of a period only what was completed in it counts', () => {
  const totals = new JobTotals({ from: 60_000, now: 70_000 });
  const counts = { taskCount: 100, completed: 80, failed: 0 };
  totals.add({ status: 'running', createdAt: 0, completedAt: null, ...counts });
  const works = [work('a', { completed: 20, completedMs: 1_000 })];
  const found = metrics({
    totals,
    works,
    counted: works,
    recoveries: noRecoveries,
    isPartial: true,
  });
  expect(found.tasks).toMatchObject({ total: 100, completed: 20 });
  expect(found.throughputTasksPerSecond).toBe(2);
});

test('an empty database has zeros and nulls, never NaN', () => {
  const totals = new JobTotals({ from: -Infinity, now: 0 });
  const found = metrics({
    totals,
    works: [],
    counted: [],
    recoveries: noRecoveries,
    isPartial: false,
  });
  expect(found).toEqual({
    jobs: { total: 0, completed: 0, failed: 0, cancelled: 0, running: 0 },
    tasks: { total: 0, completed: 0, failed: 0, retried: 0, recovered: 0 },
    jobExecutionTimeSeconds: { mean: null, median: null, p95: null, max: null },
    averageTaskTimeSeconds: null,
    throughputTasksPerSecond: 0,
    jainsFairnessIndex: null,
    energyJoules: 0,
    recovery: { events: 0, meanSecondsToResume: null, workSavedSeconds: 0, wastedSeconds: 0 },
  });
});
