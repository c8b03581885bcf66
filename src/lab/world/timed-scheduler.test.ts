// The clock is handed in, and goes on only when the scheduler is called.

import { expect, test } from 'vitest';
import type { Scheduler } from '../../scheduling/scheduler.ts';
import { decisionTimeOf, DecisionTimes } from '../outcome/decision-times.ts';
import { clockCost, timed } from './timed-scheduler.ts';

/** Names the first candidate that is left; `wait` is told each call. */
function firstOf(wait: (call: string) => void): Scheduler {
  return {
    algorithm: 'fifo',
    queueOrder: 'submission',
    begin: () => wait('begin'),
    contest: (eligible) => {
      const rows = [...eligible];
      wait('contest');
      return {
        best: () => {
          wait('best');
          return rows.indexOf(1);
        },
        take: () => wait('take'),
        drop: (row) => {
          wait('drop');
          rows[row] = 0;
        },
      };
    },
    rank: () => ({ effectiveWeights: {}, workers: [], selected: -1, reason: '' }),
    memory: { type: 'none' },
  };
}

const costs: Readonly<Record<string, number>> = {
  begin: 100,
  contest: 10,
  best: 1,
  take: 2,
  drop: 4,
};

test('a decision is all that is done for one task, and a pass without any is none', () => {
  let now = 0;
  const times = new DecisionTimes(0.5);
  const wait = (call: string) => {
    now += costs[call]!;
  };
  const scheduler = timed(
    () => firstOf(wait),
    times,
    () => now,
  )({ algorithm: 'fifo', weighting: 'manual', weights: {}, updatedAt: 0 });
  const snapshot = { workers: [] } as unknown as Parameters<Scheduler['begin']>[0];
  // Two tasks in one pass: the first pays for the beginning, each for the drop that follows from it.
  scheduler.begin(snapshot);
  const contest = scheduler.contest(Uint8Array.of(1, 1, 0, 1));
  for (const row of [0, 1]) {
    expect(contest.best()).toBe(row);
    contest.take(row);
    contest.drop(row);
  }
  // Nothing is placed in the next one, and one task in the last.
  scheduler.begin(snapshot);
  scheduler.contest(Uint8Array.of(0, 0, 1)).best();
  scheduler.begin(snapshot);
  const last = scheduler.contest(Uint8Array.of(0, 0, 1));
  last.best();
  last.take(2);
  times.endPass();
  const time = decisionTimeOf('own', [structuredClone(times)]);
  // 100 + 10 + 1 + 2 + 4, 1 + 2 + 4, 100 + 10 + 1 + 2.
  expect(time.decisions).toBe(3);
  expect(time.mean_microseconds).toBeCloseTo((117 + 7 + 113) / 3, 9);
  expect(time.p50_microseconds! / 113).toBeCloseTo(1, 1);
  expect(
    time.by_candidates.map(({ at_least, at_most, decisions }) => [at_least, at_most, decisions]),
  ).toEqual([
    [1, 1, 1],
    [2, 10, 2],
  ]);
  // 15 calls were measured, those of the pass without a task too.
  expect(time.clock_microseconds).toBeCloseTo((15 * 0.5) / 3, 9);
});

test('the cost of the clock is the middle of what two readings lie apart', () => {
  let reading = 0;
  expect(
    clockCost(() => {
      reading++;
      return reading + (reading > 2000 ? 5000 : 0);
    }),
  ).toBe(1);
});

test('of nothing that was decided there is no time', () => {
  expect(decisionTimeOf('own', [])).toEqual({
    contender: 'own',
    decisions: 0,
    mean_microseconds: null,
    p50_microseconds: null,
    p95_microseconds: null,
    clock_microseconds: 0,
    by_candidates: [],
  });
});
