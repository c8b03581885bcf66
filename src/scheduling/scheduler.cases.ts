// What holds for each of the nine schedulers, whatever its rule.

import { describe, expect, test } from 'vitest';
import { type AlgorithmId, criterionIds, type Observed } from '../core/snapshot.ts';
import { createScheduler } from './registry.ts';
import type { Ranking } from './scheduler.ts';
import {
  MadeCluster,
  makeConfig,
  makeWorker,
  nextRow,
  rankNow,
  runPass,
  silent,
  takeTurns,
} from './testing/made-cluster.ts';

const readsNoMetric: ReadonlySet<AlgorithmId> = new Set(['fifo', 'round_robin']);
const comparesCriteria: ReadonlySet<AlgorithmId> = new Set(['wrr', 'edas', 'aras', 'mabac']);
const everyCriterion = Object.fromEntries(criterionIds.map((id) => [id, 1]));

export function schedulerCases(algorithm: AlgorithmId): void {
  const make = () => createScheduler(makeConfig(algorithm, everyCriterion));

  describe(`the scheduler ${algorithm}`, () => {
    test('selects nobody when there is no worker', () => {
      const cluster = new MadeCluster();
      const scheduler = make();
      expect(nextRow(scheduler, cluster)).toBe(-1);
      expect(rankNow(scheduler, cluster)).toMatchObject({
        workers: [],
        selected: -1,
        reason: 'no worker is online',
      });
    });

    test('selects nobody when no worker is eligible, and goes on when one is', () => {
      const cluster = mixedCluster();
      const scheduler = make();
      for (const { id } of cluster.workers) cluster.barred.add(id);
      expect(nextRow(scheduler, cluster)).toBe(-1);
      expect(rankNow(scheduler, cluster).reason).toBe('no worker is eligible');
      cluster.barred.delete('w2');
      expect(nextRow(scheduler, cluster)).toBe(2);
    });

    test('selects the only worker', () => {
      const cluster = new MadeCluster(makeWorker('only'));
      expect(nextRow(make(), cluster)).toBe(0);
    });

    test('never selects an ineligible worker, in a pass or one task at a time', () => {
      for (let mask = 0; mask < 2 ** 5; mask++) {
        const barred = [0, 1, 2, 3, 4].filter((row) => ((mask >> row) & 1) === 0);
        for (const place of [runPass, takeTurns]) {
          const cluster = mixedCluster();
          for (const row of barred) cluster.barred.add(`w${row}`);
          const rows = place(make(), cluster, 6);
          for (const row of barred) expect(rows, `mask ${mask.toString(2)}`).not.toContain(row);
        }
      }
    });

    test('goes on until every slot is taken, and then names nobody', () => {
      const cluster = mixedCluster();
      const rows = runPass(make(), cluster, 100);
      expect([0, 1, 2, 3, 4].map((row) => rows.filter((each) => each === row).length)).toEqual([
        4, 4, 4, 4, 4,
      ]);
    });

    test('makes the same decisions from the same calls', () => {
      for (const place of [runPass, takeTurns]) {
        const first = place(make(), mixedCluster(), 12);
        expect(place(make(), mixedCluster(), 12)).toEqual(first);
        expect(new Set(first).size, 'tasks spread over the workers').toBeGreaterThan(1);
      }
    });

    test('answers the same when it is asked twice', () => {
      const cluster = mixedCluster();
      const scheduler = make();
      scheduler.begin(cluster);
      const contest = scheduler.contest(cluster.eligible);
      for (let task = 0; task < 8; task++) {
        const row = contest.best();
        contest.best([row]);
        expect(contest.best()).toBe(row);
        cluster.place(row);
        contest.take(row);
      }
    });

    test('names a worker that is to be avoided only when no other is left', () => {
      const cluster = mixedCluster();
      const scheduler = make();
      for (const id of ['w1', 'w3']) cluster.barred.add(id);
      scheduler.begin(cluster);
      const contest = scheduler.contest(cluster.eligible);
      expect([0, 2]).toContain(contest.best([4, 1]));
      expect(contest.best([4, 0, 3])).toBe(2);
      expect(contest.best([0, 2, 4])).toBe(contest.best());
      contest.drop(0);
      expect(contest.best([2])).toBe(4);
      contest.drop(2);
      contest.drop(4);
      expect(contest.best([4])).toBe(-1);
    });

    test('tells every open contest of a task that was placed in one of them', () => {
      const cluster = new MadeCluster(makeWorker('a'), makeWorker('b'));
      const scheduler = make();
      scheduler.begin(cluster);
      const first = scheduler.contest(cluster.eligible);
      const second = scheduler.contest(cluster.eligible);
      expect([first.best(), second.best()]).toEqual([0, 0]);
      cluster.place(0);
      first.take(0);
      expect([first.best(), second.best()]).toEqual(algorithm === 'fifo' ? [0, 0] : [1, 1]);
      second.drop(1);
      expect(first.best()).toBe(algorithm === 'fifo' ? 0 : 1);
      expect(second.best()).toBe(0);
    });

    test('does not depend on the order of rows, unless that order is its rule', () => {
      if (readsNoMetric.has(algorithm)) return;
      const idsOf = (cluster: MadeCluster) =>
        runPass(make(), cluster, 15).map((row) => cluster.workers[row]!.id);
      const expected = idsOf(mixedCluster());
      for (const order of [
        [4, 3, 2, 1, 0],
        [2, 0, 4, 1, 3],
        [1, 2, 3, 4, 0],
      ]) {
        const { workers } = mixedCluster();
        expect(idsOf(new MadeCluster(...order.map((row) => workers[row]!)))).toEqual(expected);
      }
    });

    test('goes on where another one was when it is given its memory', () => {
      const cluster = mixedCluster();
      const one = make();
      takeTurns(one, cluster, 7);
      one.begin(cluster);
      const other = createScheduler(makeConfig(algorithm, everyCriterion), one.memory);
      expect(takeTurns(other, structuredCopy(cluster), 9)).toEqual(takeTurns(one, cluster, 9));
    });

    test('selects the worker that is best on every criterion, unless it reads no metric', () => {
      const { workers } = mixedCluster();
      workers.forEach((worker) => {
        worker.activeTasks = 1;
      });
      const cluster = new MadeCluster(...workers, bestWorker());
      const expected = readsNoMetric.has(algorithm) ? 0 : 5;
      expect(nextRow(make(), cluster)).toBe(expected);
    });

    test('selects an eligible worker when all are equal, and then the others too', () => {
      const cluster = new MadeCluster(makeWorker('a'), makeWorker('b'), makeWorker('c'));
      const rows = runPass(make(), cluster, 12);
      expect(rows[0]).toBe(0);
      expect([0, 1, 2].map((row) => rows.filter((each) => each === row).length)).toEqual([4, 4, 4]);
    });

    test('spreads the first tasks of a fresh cluster that has told nothing yet', () => {
      const fresh = ['a', 'b', 'c'].map((id) => makeWorker(id, silent));
      const cluster = new MadeCluster(...fresh);
      const scheduler = make();
      expectSound(rankNow(scheduler, cluster));
      const rows = runPass(scheduler, cluster, 3);
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
            expectSound(rankNow(scheduler, cluster));
            expect(nextRow(scheduler, cluster)).toBeGreaterThanOrEqual(0);
          }
        }
      }
    });

    test('follows workers that join and leave between two decisions', () => {
      const cluster = mixedCluster();
      const scheduler = make();
      takeTurns(scheduler, cluster, 3);
      cluster.leave(0);
      cluster.join(bestWorker());
      cluster.leave(1);
      for (let task = 0; task < 8; task++) {
        const [row = -1] = takeTurns(scheduler, cluster, 1);
        expect(row).toBeGreaterThanOrEqual(0);
        expect(cluster.workers[row]!.activeTasks).toBeLessThanOrEqual(4);
      }
      cluster.workers = [makeWorker('last')];
      cluster.version++;
      expect(nextRow(scheduler, cluster)).toBe(0);
    });

    test('ranks every worker, tells beforehand whom it selects, and changes nothing by it', () => {
      const cluster = mixedCluster();
      const [scheduler, silently] = [make(), make()];
      cluster.barred.add('w3');
      for (let pass = 0; pass < 3; pass++) {
        const contests = [scheduler, silently].map((each) => {
          each.begin(cluster);
          return each.contest(cluster.eligible);
        });
        for (let task = 0; task < 5; task++) {
          const ranking = scheduler.rank(cluster.eligible);
          expectSound(ranking);
          expect(scheduler.rank(cluster.eligible)).toEqual(ranking);
          const row = ranking.selected;
          expect(contests.map((contest) => contest.best())).toEqual([row, row]);
          if (algorithm !== 'wrr') {
            expect(ranking.workers.find((worker) => worker.eligible)?.row).toBe(row);
          }
          cluster.place(row);
          for (const contest of contests) {
            contest.take(row);
            if (cluster.eligible[row] !== 1) contest.drop(row);
          }
        }
        cluster.heartbeat(1, { cpuLoadPercent: 3 });
      }
    });

    test('explains all nine criteria, or none when it compares one thing', () => {
      const cluster = mixedCluster();
      const ranking = rankNow(make(), cluster);
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

function structuredCopy(cluster: MadeCluster): MadeCluster {
  const copy = new MadeCluster(...cluster.workers.map((worker) => ({ ...worker })));
  copy.version = cluster.version;
  return copy;
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
