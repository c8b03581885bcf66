import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadDistribution } from './load-distribution.ts';
import { work } from './testing/works.ts';

test('the load of a worker is what it completed, and an idle one counts', () => {
  const distribution = loadDistribution([
    work('a', { completed: 6, failed: 1, busyMs: 12_500, activeTasks: 2 }),
    work('b', { completed: 2, type: 'android_kotlin' }),
    work('c'),
  ]);
  // 8² / (3 · (36 + 4)) = 64 / 120
  expect(distribution.jainsFairnessIndex).toBeCloseTo(0.533333333, 9);
  // Mean 8/3, variance (6 - 8/3)² + (2 - 8/3)² + (8/3)² over 3 = 56/9: √56 / 8
  expect(distribution.coefficientOfVariation).toBeCloseTo(0.935414347, 9);
  expect(distribution.workers).toEqual([
    {
      workerId: 'a',
      name: null,
      isRegistered: true,
      type: 'pc',
      tasksCompleted: 6,
      tasksFailed: 1,
      activeTasks: 2,
      busySeconds: 12.5,
      share: 0.75,
    },
    {
      workerId: 'b',
      name: null,
      isRegistered: true,
      type: 'android_kotlin',
      tasksCompleted: 2,
      tasksFailed: 0,
      activeTasks: 0,
      busySeconds: 0,
      share: 0.25,
    },
    {
      workerId: 'c',
      name: null,
      isRegistered: true,
      type: 'pc',
      tasksCompleted: 0,
      tasksFailed: 0,
      activeTasks: 0,
      busySeconds: 0,
      share: 0,
    },
  ]);
});

test('without a completed task there are nulls and zeros', () => {
  const nothing = { jainsFairnessIndex: null, coefficientOfVariation: null };
  expect(loadDistribution([])).toEqual({ ...nothing, workers: [] });
  expect(loadDistribution([work('a', { failed: 3 })])).toMatchObject({
    ...nothing,
    workers: [{ tasksFailed: 3, share: 0 }],
  });
});

test('shares sum to 1 as soon as anything was completed', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 40 }), (loads) => {
      const { workers } = loadDistribution(
        loads.map((completed, i) => work(`${i}`, { completed })),
      );
      const sum = workers.reduce((total, { share }) => total + share, 0);
      expect(sum).toBeCloseTo(loads.some((load) => load > 0) ? 1 : 0, 9);
    }),
  );
});
