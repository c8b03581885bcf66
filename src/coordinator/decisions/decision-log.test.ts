// The log is right when a replayed pass makes the same choices. Here passes are made up: random clusters,
// several contests at once, rows that are passed over, heartbeats between passes.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type AlgorithmId,
  algorithmIds,
  type SchedulerConfig,
  type Snapshot,
} from '../../core/snapshot.ts';
import { createScheduler } from '../../scheduling/registry.ts';
import type { Contest, Scheduler } from '../../scheduling/scheduler.ts';
import { MadeCluster, makeConfig, makeWorker } from '../../scheduling/testing/made-cluster.ts';
import { DecisionLog } from './decision-log.ts';
import type { PassRecord } from './pass-record.ts';
import { replayDecision, replayPass } from './replay.ts';

const plenty = 1 << 24;

interface Step {
  readonly type: 'place' | 'open';
  /** Which contest, which rows: whatever the number is, it is taken modulo what there is. */
  readonly pick: number;
  readonly bits: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  type: fc.constantFrom('place', 'place', 'place', 'place', 'open'),
  pick: fc.nat(1000),
  bits: fc.nat(255),
});

const reading = fc.record({
  cpuLoadPercent: fc.option(fc.integer({ min: 0, max: 100 })),
  ramAvailableMb: fc.integer({ min: 100, max: 8000 }),
  networkLatencyMs: fc.option(fc.integer({ min: 1, max: 300 })),
  completed: fc.nat(50),
  failed: fc.nat(5),
  busySeconds: fc.nat(100),
  smoothedTaskMs: fc.option(fc.integer({ min: 1, max: 5000 })),
});

const members = fc.array(fc.tuple(reading, fc.integer({ min: 1, max: 4 })), {
  minLength: 1,
  maxLength: 8,
});

/** Does what a scheduling pass does, with what the steps say instead of a queue. */
function runPass(
  scheduler: Scheduler,
  config: SchedulerConfig,
  made: MadeCluster,
  log: DecisionLog,
  steps: readonly Step[],
  jobId: string,
): number[] {
  scheduler.begin(made);
  const { memory } = scheduler;
  const record = log.begin({ at: 5, config, memory, snapshot: made })!;
  const open: { readonly contest: Contest; readonly number: number }[] = [];
  const chosen: number[] = [];
  for (const { type, pick, bits } of [{ type: 'open', pick: 0, bits: 255 } as Step, ...steps]) {
    if (type === 'open') {
      const mask = made.eligible.map((is, row) => ((bits >> (row % 8)) & 1 ? is : 0));
      open.push({ contest: scheduler.contest(mask), number: record.open(mask) });
      continue;
    }
    const { contest, number } = open[pick % open.length]!;
    const rows = made.workers.length;
    const except = bits < 200 ? undefined : [...new Set([bits % rows, pick % rows])];
    const row = contest.best(except);
    if (row < 0) continue;
    made.place(row);
    contest.take(row);
    record.place(number, row, jobId, chosen.length, 1, except);
    chosen.push(row);
    if (made.workers[row]!.activeTasks < made.workers[row]!.slots) continue;
    for (const each of open) {
      each.contest.drop(row);
      record.drop(each.number, row);
    }
  }
  log.keep(record, 10);
  return chosen;
}

/** Who is selected when the decision is made again. */
function replayedRow(log: DecisionLog, jobId: string, index: number): number {
  const logged = log.find(jobId, index, 1)!;
  const { ranking, eligible, ...replayed } = replayDecision(logged);
  const { selected } = ranking;
  const runnerUp = replayed.runnerUp();
  expect(logged.placement.row).toBe(selected);
  expect(ranking.workers.find(({ row }) => row === selected)?.eligible).toBe(true);
  expect(runnerUp).not.toBe(selected);
  if (runnerUp >= 0) expect(eligible[runnerUp]).toBe(1);
  return selected;
}

describe.each(algorithmIds)('a replayed pass of %s', (algorithm: AlgorithmId) => {
  test('makes the choices that were made, each among the same workers', () => {
    const passes = fc.array(fc.array(step, { maxLength: 30 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        members,
        passes,
        fc.constantFrom('manual', 'entropy'),
        (given, runs, weighting) => {
          const config: SchedulerConfig = { ...makeConfig(algorithm), weighting };
          const made = new MadeCluster(
            ...given.map(([observed, slots], i) => makeWorker(`w${i}`, observed, { slots })),
          );
          const scheduler = createScheduler(config);
          const log = new DecisionLog(plenty);
          const chosen = runs.map((steps, pass) => {
            const rows = runPass(scheduler, config, made, log, steps, `j${pass}`);
            // What happens later must not matter: all workers are free again, and some report.
            made.workers.forEach((worker, row) => {
              worker.activeTasks = 0;
              worker.idleSince++;
              if (row % 2 === pass % 2) made.heartbeat(row, { cpuLoadPercent: 10 * pass });
            });
            return rows;
          });
          chosen.forEach((rows, pass) => {
            const replayed = rows.map((_, index) => replayedRow(log, `j${pass}`, index));
            expect(replayed).toEqual(rows);
          });
        },
      ),
      { numRuns: 40 },
    );
  }, 30_000);

  test('ends where the scheduler at work stands', () => {
    const config = makeConfig(algorithm);
    const made = new MadeCluster(
      makeWorker('a', { cpuLoadPercent: 10 }),
      makeWorker('b'),
      makeWorker('c', { cpuLoadPercent: 90 }),
    );
    const scheduler = createScheduler(config);
    const log = new DecisionLog(plenty);
    const five = Array.from({ length: 5 }, (): Step => ({ type: 'place', pick: 0, bits: 0 }));
    runPass(scheduler, config, made, log, five, 'j');
    const again = replayPass(log.newest!.pass);
    again.begin(made);
    scheduler.begin(made);
    expect(again.memory).toEqual(scheduler.memory);
    expect(again.rank(made.eligible)).toEqual(scheduler.rank(made.eligible));
  });
});

describe('the log', () => {
  const config = makeConfig('fifo');
  const place = (count: number): Step[] =>
    Array.from({ length: count }, () => ({ type: 'place', pick: 0, bits: 0 }));

  function cluster(workers: number): MadeCluster {
    const made = Array.from({ length: workers }, (_, i) => makeWorker(`w${i}`, {}, { slots: 100 }));
    return new MadeCluster(...made);
  }

  test('has nothing before the first placement, and keeps no pass without one', () => {
    const log = new DecisionLog(plenty);
    runPass(createScheduler(config), config, cluster(1), log, [], 'j');
    expect([log.newest, log.size, log.bytes]).toEqual([undefined, 0, 0]);
  });

  test('evicts the oldest passes when it is full, counts what is left, and keeps the newest', () => {
    const log = new DecisionLog(20_000);
    const made = cluster(20);
    const scheduler = createScheduler(config);
    for (let pass = 0; pass < 40; pass++) {
      runPass(scheduler, config, made, log, place(3), `j${pass}`);
      made.heartbeat(pass % 20, {});
      for (const worker of made.workers) worker.activeTasks = 0;
      expect(log.bytes).toBeLessThanOrEqual(20_000);
    }
    expect(log.size).toBeGreaterThan(3);
    expect(log.size).toBeLessThan(120);
    expect(log.find('j0', 0, 1)).toBeUndefined();
    const oldest = Math.ceil((120 - log.size) / 3);
    expect(log.find(`j${oldest - 1}`, 0, 1)).toBeUndefined();
    expect(log.find(`j${oldest}`, 0, 1)).toBeDefined();
    expect(log.newest?.placement).toMatchObject({ jobId: 'j39', index: 2 });
  });

  test('keeps nothing when it may hold nothing', () => {
    const log = new DecisionLog(0);
    const { workers } = cluster(3);
    const snapshot = { version: 1, workers };
    expect(log.begin({ at: 0, config, memory: { type: 'none' }, snapshot })).toBeUndefined();
    expect([log.size, log.newest]).toEqual([0, undefined]);
  });

  test('keeps the newest pass however small it may be', () => {
    const log = new DecisionLog(1);
    const made = cluster(100);
    const scheduler = createScheduler(config);
    for (const job of ['a', 'b']) runPass(scheduler, config, made, log, place(2), job);
    expect([log.size, log.newest?.placement.jobId]).toEqual([2, 'b']);
  });

  test('counts what is left as if nothing else had ever been there', () => {
    const made = cluster(30);
    const scheduler = createScheduler(config);
    const small = new DecisionLog(30_000);
    const snapshots: (() => void)[] = [];
    for (let pass = 0; pass < 60; pass++) {
      runPass(scheduler, config, made, small, place(1 + (pass % 4)), `j${pass}`);
      const { pass: record } = small.newest!;
      const workers = made.workers.map((worker) => ({ ...worker }));
      const snapshot = { version: made.version, workers };
      snapshots.push(() => again(record, snapshot));
      for (const worker of made.workers) worker.activeTasks = 0;
      if (pass % 3 === 0) made.heartbeat(pass % 30, {});
      if (pass % 20 === 19) made.join(makeWorker(`late${pass}`));
    }
    const fresh = new DecisionLog(plenty);
    function again(record: PassRecord, snapshot: Snapshot): void {
      const { at, memory } = record;
      const copy = fresh.begin({ at, config, memory, snapshot })!;
      record.tellUntil(record.placements, {
        opened: (mask) => void copy.open(mask),
        dropped: (contest, row) => copy.drop(contest, row),
        placed: (contest, row) => copy.place(contest, row, 'j00', 0, 1),
      });
      fresh.keep(copy, 10);
    }
    let oldest = 0;
    while (small.find(`j${oldest}`, 0, 1) === undefined) oldest++;
    expect(oldest).toBeGreaterThan(10);
    for (const keep of snapshots.slice(oldest)) keep();
    expect([small.size, small.bytes]).toEqual([fresh.size, fresh.bytes]);
    small.clear();
    expect([small.bytes, small.size]).toEqual([0, 0]);
  });

  test('shares what no placement changes between the passes of one generation', () => {
    const log = new DecisionLog(plenty);
    const made = cluster(10);
    const scheduler = createScheduler(config);
    const passes: PassRecord[] = [];
    for (const job of ['a', 'b', 'c']) {
      if (job === 'c') made.heartbeat(0, {});
      runPass(scheduler, config, made, log, place(2), job);
      passes.push(log.newest!.pass);
    }
    const [a, b, c] = passes as [PassRecord, PassRecord, PassRecord];
    expect(b.view).toBe(a.view);
    expect(c.view).not.toBe(b.view);
    expect(c.view.members).toBe(b.view.members);
  });

  test('finds the newest placement of an attempt that was placed twice', () => {
    const log = new DecisionLog(plenty);
    const made = cluster(2);
    const scheduler = createScheduler(makeConfig('round_robin'));
    const round = makeConfig('round_robin');
    for (let pass = 0; pass < 2; pass++) runPass(scheduler, round, made, log, place(1), 'j');
    expect(log.find('j', 0, 1)?.placement.row).toBe(1);
    expect(log.find('j', 0, 2)).toBeUndefined();
    expect(log.find('k', 0, 1)).toBeUndefined();
  });
});
