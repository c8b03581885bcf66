import { expect, test } from 'vitest';
import { work } from './testing/works.ts';
import { workerPerformance } from './worker-performance.ts';

test('time per task counts completed tasks, throughput counts all busy seconds', () => {
  const [performance] = workerPerformance([
    work('a', {
      platform: 'android',
      completed: 8,
      failed: 2,
      completedMs: 4_000,
      busyMs: 16_000,
      energyJoules: 20,
    }),
  ]);
  expect(performance).toEqual({
    workerId: 'a',
    name: null,
    isRegistered: true,
    type: 'pc',
    platform: 'android',
    tasksCompleted: 8,
    tasksFailed: 2,
    averageTaskTimeSeconds: 0.5,
    throughput: 0.5,
    energyJoules: 20,
    energyJoulesPerTask: 2.5,
    failureRate: 0.2,
  });
});

test('a worker that did nothing has nulls and zeros', () => {
  expect(workerPerformance([work('a')])[0]).toMatchObject({
    averageTaskTimeSeconds: null,
    throughput: 0,
    energyJoules: 0,
    energyJoulesPerTask: null,
    failureRate: 0,
  });
});

test('a task counts a millisecond at least, however short it was', () => {
  const [performance] = workerPerformance([work('a', { completed: 3, failed: 1, busyMs: 0.007 })]);
  expect(performance).toMatchObject({ averageTaskTimeSeconds: 0, throughput: 750 });
});

test('energy is null where tasks ended and nothing is known of it', () => {
  const [unknown, known] = workerPerformance([
    work('a', { completed: 3 }),
    work('b', { completed: 4, energyJoules: 2 }),
  ]);
  expect(unknown).toMatchObject({ energyJoules: null, energyJoulesPerTask: null });
  expect(known).toMatchObject({ energyJoules: 2, energyJoulesPerTask: 0.5 });
});
