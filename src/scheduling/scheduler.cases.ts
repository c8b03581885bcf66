// What holds for each of the nine schedulers, whatever its rule.

import { describe, expect, test } from 'vitest';
import { type AlgorithmId, criterionIds, type Observed } from '../core/snapshot.ts';
import { createScheduler } from './registry.ts';
import type { Ranking, Scheduler } from './scheduler.ts';
import { MadeCluster, makeConfig, makeWorker, silent } from './testing/made-cluster.ts';

const readsNoMetric: ReadonlySet<AlgorithmId> = new Set(['fifo', 'round_robin']);
const comparesCriteria: ReadonlySet<AlgorithmId> = new Set(['wrr', 'edas', 'aras', 'mabac']);
const everyCriterion = Object.fromEntries(criterionIds.map((id) => [id, 1]));

export function schedulerCases(algorithm: AlgorithmId): void {
  const make = () => createScheduler(makeConfig(algorithm, everyCriterion));

  describe(`the scheduler ${algorithm}`, () => {
    test('selects nobody when there is no worker', () => {
      const cluster = new MadeCluster();
      const scheduler = make();
      expect(scheduler.select(cluster, cluster.eligible)).toBe(-1);
      expect(scheduler.rank(cluster, cluster.eligible)).toMatchObject({
        workers: [],
        selected: -1,
        reason: 'no worker is online',
      });
    });

    test('selects nobody when no worker is eligible, and goes on when one is', () => {
      const cluster = mixedCluster();
      const scheduler = make();
      for (const { id } of cluster.workers) cluster.barred.add(id);
      expect(scheduler.select(cluster, cluster.eligible)).toBe(-1);
      expect(scheduler.rank(cluster, cluster.eligible).reason).toBe('no worker is eligible');
      cluster.barred.delete('w2');
      expect(scheduler.select(cluster, cluster.eligible)).toBe(2);
    });

    test('selects the only worker', () => {
      const cluster = new MadeCluster(makeWorker('only'));
      expect(make().select(cluster, cluster.eligible)).toBe(0);
    });

    test('never selects an ineligible worker', () => {
      for (let mask = 1; mask < 2 ** 5; mask++) {
        const cluster = mixedCluster();
        const eligible = Uint8Array.from({ length: 5 }, (_, row) => (mask >> row) & 1);
        const scheduler = make();
        for (let task = 0; task < 6; task++) {
          const row = scheduler.select(cluster, eligible);
          expect(eligible[row], `row ${row} of mask ${mask.toString(2)}`).toBe(1);
          cluster.place(row);
        }
      }
    });

    test('makes the same decisions from the same calls', () => {
      const first = placements(make(), mixedCluster(), 12);
      expect(placements(make(), mixedCluster(), 12)).toEqual(first);
      expect(new Set(first).size, 'tasks spread over the workers').toBeGreaterThan(1);
    });

    test('selects the worker that is best on every criterion, unless it reads no metric', () => {
      const { workers } = mixedCluster();
      workers.forEach((worker) => {
        worker.activeTasks = 1;
      });
      const cluster = new MadeCluster(...workers, bestWorker());
      const expected = readsNoMetric.has(algorithm) ? 0 : 5;
      expect(make().select(cluster, cluster.eligible)).toBe(expected);
    });

    test('selects an eligible worker when all are equal, and then the others too', () => {
      const cluster = new MadeCluster(makeWorker('a'), makeWorker('b'), makeWorker('c'));
      const rows = placements(make(), cluster, 12);
      expect(rows[0]).toBe(0);
      expect([0, 1, 2].map((row) => rows.filter((each) => each === row).length)).toEqual([4, 4, 4]);
    });

    test('spreads the first tasks of a fresh cluster that has told nothing yet', () => {
      const fresh = ['a', 'b', 'c'].map((id) => makeWorker(id, silent));
      const cluster = new MadeCluster(...fresh);
      const scheduler = make();
      expectSound(scheduler.rank(cluster, cluster.eligible));
      const rows = placements(scheduler, cluster, 3);
      expect(rows).toEqual(algorithm === 'fifo' ? [0, 0, 0] : [0, 1, 2]);
    });

    test('decides with any two values missing, from one worker or from all', () => {
      const fields = Object.keys(silent) as (keyof Observed)[];
      for (const first of fields) {
        for (const second of fields) {
          const missing = { [first]: silent[first], [second]: silent[second] };
          for (const affected of [[0], [0, 1, 2, 3, 4]]) {
            const cluster = mixedCluster();
            for (const row of affected) cluster.heartbeat(row, missing);
            const scheduler = make();
            expectSound(scheduler.rank(cluster, cluster.eligible));
            expect(scheduler.select(cluster, cluster.eligible)).toBeGreaterThanOrEqual(0);
          }
        }
      }
    });

    test('follows workers that join and leave between two decisions', () => {
      const cluster = mixedCluster();
      const scheduler = make();
      placements(scheduler, cluster, 3);
      cluster.leave(0);
      cluster.join(bestWorker());
      cluster.leave(1);
      for (let task = 0; task < 8; task++) {
        const row = scheduler.select(cluster, cluster.eligible);
        expect(cluster.eligible[row]).toBe(1);
        cluster.place(row);
      }
      cluster.workers = [makeWorker('last')];
      cluster.version++;
      expect(scheduler.select(cluster, cluster.eligible)).toBe(0);
    });

    test('ranks every worker, tells beforehand whom it selects, and changes nothing by it', () => {
      const cluster = mixedCluster();
      const scheduler = make();
      const silently = make();
      cluster.barred.add('w3');
      for (let task = 0; task < 10; task++) {
        const { eligible } = cluster;
        const ranking = scheduler.rank(cluster, eligible);
        expectSound(ranking);
        expect(scheduler.rank(cluster, eligible)).toEqual(ranking);
        const row = scheduler.select(cluster, eligible);
        expect(row).toBe(ranking.selected);
        expect(row).toBe(silently.select(cluster, eligible));
        if (algorithm !== 'wrr') {
          expect(ranking.workers.find((worker) => worker.eligible)?.row).toBe(row);
        }
        cluster.place(row);
        if (task === 5) cluster.heartbeat(1, { cpuLoadPercent: 3 });
      }
    });

    test('explains all nine criteria, or none when it compares one thing', () => {
      const cluster = mixedCluster();
      const ranking = make().rank(cluster, cluster.eligible);
      const expected = comparesCriteria.has(algorithm) ? [...criterionIds] : [];
      expect(Object.keys(ranking.effectiveWeights)).toEqual(expected);
      for (const worker of ranking.workers) {
        expect(Object.keys(worker.criteria)).toEqual(expected);
        expect(worker.score === null).toBe(readsNoMetric.has(algorithm));
      }
    });
  });
}

/** Five workers, none the best on every criterion. */
function mixedCluster(): MadeCluster {
  return new MadeCluster(
    makeWorker('w0', { cpuLoadPercent: 10, ramAvailableMb: 2_000, smoothedTaskMs: 900 }),
    makeWorker('w1', { cpuLoadPercent: 35, networkLatencyMs: 5, energyJoules: 300 }),
    makeWorker('w2', { cpuLoadPercent: 60, ramAvailableMb: 8_000, failed: 2 }, { type: 'pc' }),
    makeWorker('w3', { batteryLevelPercent: 90, completed: 150, smoothedTaskMs: 700 }),
    makeWorker('w4', { ...silent, cpuLoadPercent: 80, networkBandwidthMbps: 900 }),
  );
}

function bestWorker() {
  return makeWorker('w9', {
    cpuLoadPercent: 2,
    ramAvailableMb: 64_000,
    batteryCharging: true,
    networkLatencyMs: 1,
    networkBandwidthMbps: 2_000,
    completed: 5_000,
    failed: 0,
    smoothedTaskMs: 10,
    energyJoules: 5,
  });
}

function placements(scheduler: Scheduler, cluster: MadeCluster, tasks: number): number[] {
  return Array.from({ length: tasks }, () => {
    const row = scheduler.select(cluster, cluster.eligible);
    cluster.place(row);
    return row;
  });
}

function expectSound({ workers, selected, reason }: Ranking): void {
  expect(workers.map(({ rank }) => rank)).toEqual(workers.map((_, index) => index + 1));
  expect(workers.map(({ row }) => row).sort((a, b) => a - b)).toEqual(workers.map((_, row) => row));
  expect(selected).toBeGreaterThanOrEqual(0);
  expect(reason).not.toBe('');
  expect(reason).not.toMatch(/NaN|undefined|Infinity/);
  // JSON has no NaN and no Infinity: they would come out as null.
  expect(JSON.parse(JSON.stringify(workers))).toEqual(workers);
}
