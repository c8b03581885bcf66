// EDAS, ARAS and MABAC as schedulers: what they show is what they compute, and what they keep
// between two decisions equals a computation from scratch.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CriterionId, criterionIds, type SchedulerConfig } from '../core/snapshot.ts';
import { aras, criteria, edas, entropyWeights, mabac } from './index.ts';
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
} from './testing/made-cluster.ts';

const methods = { edas, aras, mabac };
const names = ['edas', 'aras', 'mabac'] as const;
const weights = { cpu: 3, memory: 2, throughput: 1, failure_rate: 2, latency: 1, load: 1 };

describe.each(names)('%s', (algorithm) => {
  test('shows the matrix whose scores it shows', () => {
    const cluster = phones();
    cluster.place(0);
    cluster.place(0);
    const ranking = rankNow(createScheduler(makeConfig(algorithm, weights)), cluster);
    expect(distanceFromTable(algorithm, ranking)).toBeLessThan(1e-12);
  });

  test('projects the tasks assigned since the heartbeat onto load and CPU availability', () => {
    const cluster = phones();
    cluster.place(1);
    const scheduler = createScheduler(makeConfig(algorithm, weights));
    const { cpu, load, memory } = criteriaOf(rankNow(scheduler, cluster), 'w1');
    expect(load).toMatchObject({ value: 20 + 100 / 4, projected: true });
    expect(cpu).toMatchObject({ value: 100 - 45, projected: true });
    expect(memory.projected).toBe(false);
    cluster.heartbeat(1, { cpuLoadPercent: 99 });
    cluster.place(1);
    const later = criteriaOf(rankNow(scheduler, cluster), 'w1');
    expect(later.load.value).toBe(100);
    expect(later.cpu.value).toBe(0);
  });

  test('changes one row by a placement: the others keep their scores until the next look', () => {
    const cluster = phones();
    const scheduler = createScheduler(makeConfig(algorithm, weights));
    const scoresOf = ({ workers }: Ranking) =>
      Object.fromEntries(workers.map(({ workerId, score }) => [workerId, score]));
    const before = scoresOf(rankNow(scheduler, cluster));
    const contest = scheduler.contest(cluster.eligible);
    cluster.place(0);
    contest.take(0);
    const after = scoresOf(scheduler.rank(cluster.eligible));
    expect(after).toMatchObject({ w1: before['w1'], w2: before['w2'] });
    expect(after['w0']).toBeLessThan(before['w0']!);
    expect(distanceFromTable(algorithm, rankNow(scheduler, cluster))).toBeLessThan(1e-12);
  });

  test('spreads a pass though all loads were equal when it began', () => {
    const cluster = new MadeCluster(
      makeWorker('rich', { ramAvailableMb: 6_000 }, { slots: 100 }),
      makeWorker('poor', { ramAvailableMb: 5_000 }, { slots: 100 }),
    );
    const scheduler = createScheduler(makeConfig(algorithm, { load: 9, memory: 1 }));
    expect(new Set(runPass(scheduler, cluster, 60)).size).toBe(2);
  });

  test('a placement never brings a worker ahead of one that is better in everything', () => {
    const cluster = new MadeCluster(
      makeWorker('better', { cpuLoadPercent: 10, ramAvailableMb: 5_000 }),
      makeWorker('worse', { cpuLoadPercent: 20, ramAvailableMb: 4_000 }),
      makeWorker('other', { cpuLoadPercent: 70, ramAvailableMb: 6_000 }),
    );
    const scheduler = createScheduler(makeConfig(algorithm, weights));
    scheduler.begin(cluster);
    const contest = scheduler.contest(cluster.eligible);
    for (let task = 0; task < 4; task++) {
      cluster.place(1);
      contest.take(1);
      const ids = scheduler.rank(cluster.eligible).workers.map(({ workerId }) => workerId);
      expect(ids.indexOf('better')).toBeLessThan(ids.indexOf('worse'));
    }
  });

  test('does not pour one pass on the best worker', () => {
    const cluster = phones();
    const scheduler = createScheduler(makeConfig(algorithm, weights));
    const rows = runPass(scheduler, cluster, 8);
    expect(new Set(rows).size).toBe(3);
  });

  test('keeps no score that a computation from scratch would not give', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.boolean(), (steps, isEntropy) => {
        const config: SchedulerConfig = {
          ...makeConfig(algorithm, weights),
          weighting: isEntropy ? 'entropy' : 'manual',
        };
        const cluster = phones();
        const scheduler = createScheduler(config);
        steps.forEach((each, index) => {
          apply(each, cluster, index);
          const fresh = createScheduler(config);
          const row = nextRow(scheduler, cluster);
          expect(row).toBe(nextRow(fresh, cluster));
          const ranking = scheduler.rank(cluster.eligible);
          expect(ranking).toEqual(fresh.rank(cluster.eligible));
          expect(row).toBe(ranking.selected);
          expect(distanceFromTable(algorithm, ranking)).toBeLessThan(1e-12);
          if (row < 0) return;
          const contest = scheduler.contest(cluster.eligible);
          cluster.place(row);
          // A placement that the contest hears of, and one that only the next look sees.
          if (index % 2 === 0) contest.take(row);
        });
      }),
      { numRuns: 60 },
    );
  });
});

test('contributions sum to what each method scores by', () => {
  for (const algorithm of names) {
    const cluster = phones();
    cluster.place(2);
    const ranking = rankNow(createScheduler(makeConfig(algorithm, weights)), cluster);
    for (const { score, criteria: row, details } of ranking.workers) {
      const sum = Object.values(row).reduce((total, { contribution }) => total + contribution, 0);
      const expected = {
        edas: Number(details['sp']) - Number(details['sn']),
        aras: details['s'],
        mabac: score,
      }[algorithm];
      expect(sum).toBeCloseTo(Number(expected), 12);
      if (algorithm === 'edas') {
        expect((Number(details['nsp']) + Number(details['nsn'])) / 2).toBe(score);
      }
      if (algorithm === 'aras') expect(details['k']).toBe(score);
    }
  }
});

test('mabac names the area of each criterion and of the whole', () => {
  const cluster = phones();
  const scheduler = createScheduler(makeConfig('mabac', { memory: 1, battery: 1 }));
  const [best, , worst] = rankNow(scheduler, cluster).workers;
  expect(best).toMatchObject({ workerId: 'w0', details: { area: 'upper', memory_area: 'upper' } });
  expect(worst).toMatchObject({
    workerId: 'w2',
    details: { area: 'lower', memory_area: 'lower', battery_area: 'border', battery_distance: 0 },
  });
});

test('a value that is missing is the mean of the others, one that all miss is left out', () => {
  const cluster = phones();
  cluster.heartbeat(0, { ramAvailableMb: null, networkLatencyMs: null });
  for (const row of [1, 2]) cluster.heartbeat(row, { networkLatencyMs: null });
  const ranking = rankNow(createScheduler(makeConfig('edas', weights)), cluster);
  const { memory, latency } = criteriaOf(ranking, 'w0');
  expect(memory).toMatchObject({ value: 3_000, imputed: true });
  expect(latency).toMatchObject({ value: null, imputed: true, contribution: 0 });
  expect(criteriaOf(ranking, 'w1').memory).toMatchObject({ value: 4_000, imputed: false });
});

test('entropy weights are those of the heartbeats, over all nine criteria', () => {
  const cluster = phones();
  const config: SchedulerConfig = { ...makeConfig('edas'), weighting: 'entropy' };
  const scheduler = createScheduler(config);
  const before = rankNow(scheduler, cluster);
  const table = before.workers.map((worker) =>
    criterionIds.map((id) => worker.criteria[id]?.value ?? 0),
  );
  const expected = entropyWeights(table);
  criterionIds.forEach((id, index) => {
    expect(before.effectiveWeights[id]).toBeCloseTo(expected[index]!, 12);
  });
  cluster.place(0);
  const after = rankNow(scheduler, cluster);
  expect(after.effectiveWeights).toEqual(before.effectiveWeights);
});

test('says how many tie, and by what the tie was broken', () => {
  const cluster = new MadeCluster(
    makeWorker('a', {}, { idleSince: 7 }),
    makeWorker('b', {}, { idleSince: 5 }),
  );
  const ranking = rankNow(createScheduler(makeConfig('aras')), cluster);
  expect(ranking.selected).toBe(1);
  expect(ranking.reason).toBe(
    'highest utility degree 1, one of 2 that tie: fewest active tasks, then longest idle, then id',
  );
});

type Step =
  | { readonly type: 'heartbeat'; readonly row: number; readonly percent: number | null }
  | { readonly type: 'finish'; readonly row: number }
  | { readonly type: 'join' | 'leave' | 'place'; readonly row: number };

const row = fc.nat({ max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('heartbeat' as const),
    row,
    percent: fc.option(fc.integer({ min: 0, max: 100 })),
  }),
  fc.record({ type: fc.constantFrom('join', 'leave', 'place', 'finish' as const), row }),
);

function apply(given: Step, cluster: MadeCluster, index: number): void {
  if (given.type === 'join') {
    cluster.join(makeWorker(`joined-${index}`, given.row === 0 ? silent : { completed: index }));
  }
  if (cluster.workers.length === 0) return;
  const at = given.row % cluster.workers.length;
  const worker = cluster.workers[at]!;
  if (given.type === 'leave') cluster.leave(at);
  if (given.type === 'place' && worker.activeTasks < worker.slots) cluster.place(at);
  if (given.type === 'heartbeat') {
    const { percent } = given;
    cluster.heartbeat(at, { cpuLoadPercent: percent, networkLatencyMs: percent });
  }
  if (given.type === 'finish') {
    worker.activeTasks = 0;
    cluster.heartbeat(at, { completed: worker.observed.completed + 1, busySeconds: 90 + index });
  }
}

/** Largest difference to the scores recomputed from the values and weights that are shown. */
function distanceFromTable(algorithm: (typeof names)[number], ranking: Ranking): number {
  const shown = criterionIds.filter(
    (id) => typeof ranking.workers[0]?.criteria[id]?.value === 'number',
  );
  const matrix = ranking.workers.map((worker) => shown.map((id) => worker.criteria[id]!.value!));
  const scale = shown.map((id) => ranking.effectiveWeights[id]!);
  const types = shown.map((id) => (criteria[id].kind === 'benefit' ? 1 : -1));
  const total = scale.reduce((sum, weight) => sum + weight, 0);
  const scores = methods[algorithm](matrix, scale, types);
  // mabac() takes weights relative to their sum; a column that is left out keeps its share.
  const share = algorithm === 'mabac' ? total : 1;
  return Math.max(
    0,
    ...ranking.workers.map(({ score }, index) => Math.abs(score! - scores[index]! * share)),
  );
}

function criteriaOf({ workers }: Ranking, id: string) {
  const worker = workers.find(({ workerId }) => workerId === id)!;
  return worker.criteria as Required<typeof worker.criteria> &
    Record<CriterionId, NonNullable<(typeof worker.criteria)['cpu']>>;
}

function phones(): MadeCluster {
  return new MadeCluster(
    makeWorker('w0', { cpuLoadPercent: 10, ramAvailableMb: 8_000 }),
    makeWorker('w1', { cpuLoadPercent: 20, ramAvailableMb: 4_000, networkLatencyMs: 10 }),
    makeWorker('w2', { cpuLoadPercent: 30, ramAvailableMb: 2_000, networkLatencyMs: 5 }),
  );
}
