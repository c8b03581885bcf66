// fifo, least_loaded, priority and performance: the schedulers that compare one thing or nothing.

import { describe, expect, test } from 'vitest';
import { createScheduler } from './registry.ts';
import {
  MadeCluster,
  makeConfig,
  makeWorker,
  nextRow,
  rankNow,
  runPass,
} from './testing/made-cluster.ts';

test('fifo fills the first free worker in the order of registration, whatever its state', () => {
  const cluster = new MadeCluster(
    makeWorker('z', { cpuLoadPercent: 100 }, { slots: 2 }),
    makeWorker('a', { cpuLoadPercent: 0 }),
  );
  expect(placements('fifo', cluster, 4)).toEqual(['z', 'z', 'a', 'a']);
});

describe.each(['least_loaded', 'priority'] as const)('%s', (algorithm) => {
  test('selects the worker with the fewest active tasks, not the emptiest in percent', () => {
    const cluster = new MadeCluster(
      makeWorker('big', {}, { slots: 100, activeTasks: 2 }),
      makeWorker('small', {}, { slots: 2, activeTasks: 1 }),
    );
    expect(placements(algorithm, cluster, 1)).toEqual(['small']);
  });

  test('breaks ties by who has been idle for longest, then by id', () => {
    const cluster = new MadeCluster(
      makeWorker('c', {}, { idleSince: 9 }),
      makeWorker('b', {}, { idleSince: 5 }),
      makeWorker('a', {}, { idleSince: 5 }),
    );
    expect(placements(algorithm, cluster, 3)).toEqual(['a', 'b', 'c']);
  });

  test('shows the number of active tasks as the score', () => {
    const cluster = new MadeCluster(
      makeWorker('a', {}, { activeTasks: 2 }),
      makeWorker('b', {}, { activeTasks: 1 }),
    );
    const ranking = rankNow(createScheduler(makeConfig(algorithm)), cluster);
    expect(ranking.workers.map(({ score }) => score)).toEqual([1, 2]);
    expect(ranking.reason).toMatch(/fewest active tasks: 1$/);
  });
});

describe('performance', () => {
  test('selects the shortest smoothed completion time while it has a free slot', () => {
    const cluster = new MadeCluster(
      makeWorker('slow', { smoothedTaskMs: 900 }),
      makeWorker('fast', { smoothedTaskMs: 90 }, { slots: 2 }),
    );
    expect(placements('performance', cluster, 4)).toEqual(['fast', 'fast', 'slow', 'slow']);
  });

  test('takes a newcomer to be as fast as the fastest, once', () => {
    const cluster = new MadeCluster(
      makeWorker('fast', { smoothedTaskMs: 90 }, { idleSince: 100 }),
      makeWorker('slow', { smoothedTaskMs: 900 }, { idleSince: 1 }),
      makeWorker('new', { smoothedTaskMs: null }, { idleSince: 50 }),
    );
    expect(placements('performance', cluster, 2)).toEqual(['new', 'fast']);
    cluster.heartbeat(2, { smoothedTaskMs: 2_000 });
    cluster.workers[2]!.activeTasks = 0;
    expect(placements('performance', cluster, 2)).toEqual(['fast', 'fast']);
  });

  test('follows the times of the heartbeats', () => {
    const cluster = new MadeCluster(
      makeWorker('a', { smoothedTaskMs: 100 }),
      makeWorker('b', { smoothedTaskMs: 200 }),
    );
    const scheduler = createScheduler(makeConfig('performance'));
    expect(nextRow(scheduler, cluster)).toBe(0);
    cluster.heartbeat(0, { smoothedTaskMs: 300 });
    expect(nextRow(scheduler, cluster)).toBe(1);
  });

  test('shows milliseconds, and whether they were measured', () => {
    const cluster = new MadeCluster(
      makeWorker('new', { smoothedTaskMs: null }),
      makeWorker('old', { smoothedTaskMs: 250 }, { activeTasks: 1 }),
    );
    const ranking = rankNow(createScheduler(makeConfig('performance')), cluster);
    expect(ranking.workers).toMatchObject([
      { workerId: 'new', score: 250, details: { basis: 'assumed' } },
      { workerId: 'old', score: 250, details: { basis: 'measured' } },
    ]);
    expect(ranking.reason).toMatch(/^shortest completion time 250 ms, assumed for a newcomer/);
  });
});

type Named = 'fifo' | 'least_loaded' | 'priority' | 'performance';

function placements(algorithm: Named, cluster: MadeCluster, tasks: number): string[] {
  const rows = runPass(createScheduler(makeConfig(algorithm)), cluster, tasks);
  return rows.map((row) => cluster.workers[row]!.id);
}
