// What has happened here since the database was made. These only rise, whatever is removed later: counters of
// what is kept are in `state.ts`.

import type { AttemptEnded, Event } from './events.ts';

type EndedOutcome = AttemptEnded['outcome'];

export interface Totals {
  jobsSubmitted: number;
  /** A job that is retried ends again. */
  jobsCompleted: number;
  jobsFailed: number;
  jobsCancelled: number;
  /** By whomever. */
  jobsRemoved: number;
  tasksSubmitted: number;
  tasksCompleted: number;
  tasksFailed: number;
  /** Attempts that ended without the accepted result. */
  readonly attempts: Record<EndedOutcome, number>;
  /** Run time of attempts that completed their task. */
  completedMs: number;
  energyJoules: number;
}

export function noTotals(): Totals {
  return {
    jobsSubmitted: 0,
    jobsCompleted: 0,
    jobsFailed: 0,
    jobsCancelled: 0,
    jobsRemoved: 0,
    tasksSubmitted: 0,
    tasksCompleted: 0,
    tasksFailed: 0,
    attempts: {
      failed: 0,
      lost: 0,
      timed_out: 0,
      revoked: 0,
      refused: 0,
      superseded: 0,
      released: 0,
      withdrawn: 0,
    },
    completedMs: 0,
    energyJoules: 0,
  };
}

/** Apart from the original, which goes on counting. */
export function copyTotals(totals: Totals): Totals {
  return { ...totals, attempts: { ...totals.attempts } };
}

export function countTotals(totals: Totals, event: Event): void {
  switch (event.type) {
    case 'job_submitted':
      totals.jobsSubmitted++;
      totals.tasksSubmitted += event.spec.taskCount;
      return;
    case 'job_finished':
      if (event.status === 'completed') totals.jobsCompleted++;
      else if (event.status === 'failed') totals.jobsFailed++;
      else totals.jobsCancelled++;
      return;
    case 'job_deleted':
      totals.jobsRemoved++;
      return;
    case 'task_completed':
      totals.tasksCompleted++;
      totals.completedMs += event.runMs;
      totals.energyJoules += event.energyJoules ?? 0;
      return;
    case 'task_failed':
      totals.tasksFailed++;
      return;
    case 'attempt_ended':
      totals.attempts[event.outcome]++;
      return;
    default:
      return;
  }
}
