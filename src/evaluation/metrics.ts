// The summary over all jobs and workers of a period.

import { jainsIndex } from './fairness.ts';
import type { JobTotals, TimeSummary } from './job-totals.ts';
import { type CountedWork, knownEnergy, sumWork, type WorkerWork } from './worker-work.ts';

export interface Metrics {
  readonly jobs: {
    readonly total: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly running: number;
  };
  readonly tasks: {
    readonly total: number;
    readonly completed: number;
    readonly failed: number;
    /** Attempts that failed and were followed by another. */
    readonly retried: number;
    /** Lost attempts whose task went on. */
    readonly recovered: number;
  };
  readonly jobExecutionTimeSeconds: TimeSummary;
  readonly averageTaskTimeSeconds: number | null;
  readonly throughputTasksPerSecond: number;
  readonly jainsFairnessIndex: number | null;
  /** Null when tasks ended and nothing is known of what they cost. */
  readonly energyJoules: number | null;
  readonly recovery: {
    readonly events: number;
    readonly meanSecondsToResume: number | null;
    readonly workSavedSeconds: number;
    /** Run time of attempts that another attempt of the same task overtook. */
    readonly wastedSeconds: number;
  };
}

export interface CountedRecoveries {
  readonly events: number;
  readonly recovered: number;
  /** Recoveries whose next attempt started. */
  readonly resumed: number;
  readonly msToResume: number;
  readonly workSavedSeconds: number;
}

export interface MetricsInput {
  readonly totals: JobTotals;
  readonly works: readonly WorkerWork[];
  /** All work of the period, whoever did it. */
  readonly counted: readonly CountedWork[];
  readonly recoveries: CountedRecoveries;
  /** The period begins somewhere in the life of the jobs: only what was completed in it counts. */
  readonly isPartial: boolean;
}

export function metrics(input: MetricsInput): Metrics {
  const { totals, works, counted, recoveries, isPartial } = input;
  const work = sumWork(counted);
  const completed = isPartial ? work.completed : totals.tasks.completed;
  const { coveredSeconds } = totals;
  const { resumed, msToResume } = recoveries;
  return {
    jobs: { ...totals.jobs },
    tasks: {
      total: totals.tasks.total,
      completed,
      failed: totals.tasks.failed,
      retried: work.retried,
      recovered: recoveries.recovered,
    },
    jobExecutionTimeSeconds: totals.executionTime,
    averageTaskTimeSeconds: work.completed === 0 ? null : work.completedMs / 1000 / work.completed,
    throughputTasksPerSecond: coveredSeconds > 0 ? completed / coveredSeconds : 0,
    jainsFairnessIndex: jainsIndex(works.map((each) => each.completed)),
    energyJoules: knownEnergy(work),
    recovery: {
      events: recoveries.events,
      meanSecondsToResume: resumed === 0 ? null : msToResume / 1000 / resumed,
      workSavedSeconds: recoveries.workSavedSeconds,
      wastedSeconds: work.wastedMs / 1000,
    },
  };
}
