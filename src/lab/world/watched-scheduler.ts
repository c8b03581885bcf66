// Watches a scheduler at its work: how many decisions it made, and how many of them had a choice. Where only one
// worker could take the task, no algorithm differs from another.

import type { Contest, Scheduler, SchedulerFactory } from '../../scheduling/scheduler.ts';
import { Candidates } from './candidates.ts';

export interface Choices {
  /** Tasks that were placed. */
  decisions: number;
  /** Of them those for which more than one worker was there. */
  contested: number;
}

export function watched(create: SchedulerFactory, choices: Choices): SchedulerFactory {
  return (config, memory) => watch(create(config, memory), choices);
}

function watch(scheduler: Scheduler, choices: Choices): Scheduler {
  return {
    algorithm: scheduler.algorithm,
    queueOrder: scheduler.queueOrder,
    begin: (snapshot) => scheduler.begin(snapshot),
    contest: (eligible) => watchContest(scheduler.contest(eligible), eligible, choices),
    rank: (eligible) => scheduler.rank(eligible),
    get memory() {
      return scheduler.memory;
    },
  };
}

function watchContest(contest: Contest, eligible: Uint8Array, choices: Choices): Contest {
  const candidates = new Candidates(eligible);
  return {
    best: (except) => contest.best(except),
    take: (row) => {
      choices.decisions++;
      if (candidates.left > 1) choices.contested++;
      contest.take(row);
    },
    drop: (row) => {
      candidates.drop(row);
      contest.drop(row);
    },
  };
}
