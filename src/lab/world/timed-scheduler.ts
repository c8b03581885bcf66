// Measures a scheduler at its work: its own calls, and nothing around them. The clock is handed in. A call that is
// measured takes as much longer as it takes to read the clock once, about 0.05 µs; `clockCost` tells how much here.

import { createScheduler } from '../../scheduling/registry.ts';
import type { Contest, Scheduler, SchedulerFactory } from '../../scheduling/scheduler.ts';
import type { DecisionTimes } from '../outcome/decision-times.ts';
import { Candidates } from './candidates.ts';

/** Microseconds of a clock that only goes forward, from any moment on. */
export type Microseconds = () => number;

/** `own`: decides instead of the algorithm of the configuration. */
export function timed(
  own: SchedulerFactory | undefined,
  times: DecisionTimes,
  clock: Microseconds,
): SchedulerFactory {
  const create = own ?? createScheduler;
  return (config, memory) => timeScheduler(create(config, memory), times, clock);
}

function timeScheduler(scheduler: Scheduler, times: DecisionTimes, clock: Microseconds): Scheduler {
  return {
    algorithm: scheduler.algorithm,
    queueOrder: scheduler.queueOrder,
    begin: (snapshot) => {
      times.endPass();
      const from = clock();
      scheduler.begin(snapshot);
      times.spend(clock() - from);
    },
    contest: (eligible) => {
      times.ask();
      const from = clock();
      const contest = scheduler.contest(eligible);
      times.spend(clock() - from);
      return timeContest(contest, new Candidates(eligible), times, clock);
    },
    rank: (eligible) => scheduler.rank(eligible),
    get memory() {
      return scheduler.memory;
    },
  };
}

function timeContest(
  contest: Contest,
  candidates: Candidates,
  times: DecisionTimes,
  clock: Microseconds,
): Contest {
  return {
    best: (except) => {
      times.ask();
      const from = clock();
      const row = contest.best(except);
      times.spend(clock() - from);
      return row;
    },
    take: (row) => {
      const from = clock();
      contest.take(row);
      times.spend(clock() - from);
      times.decide(candidates.left);
    },
    drop: (row) => {
      candidates.drop(row);
      const from = clock();
      contest.drop(row);
      times.spend(clock() - from);
    },
  };
}

const readings = 1001;

/** What the clock adds to a call that is measured, in microseconds: the middle of many. */
export function clockCost(clock: Microseconds): number {
  const costs = Float64Array.from({ length: readings }, () => {
    const from = clock();
    return clock() - from;
  }).sort();
  return costs[(readings - 1) / 2]!;
}
