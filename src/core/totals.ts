// What has happened here since the database was made: durable, and what monitoring counts. These only rise,
// over restarts, too, whatever is removed later: counters of what is kept are in `state.ts`.

import type { AttemptEnded, Event } from './events.ts';

type EndedOutcome = AttemptEnded['outcome'];
/** By a client, at the end of the time for which it was kept, or with all others. */
export type RemovalCause = 'deleted' | 'expired' | 'cleared';

export interface Totals {
  jobsSubmitted: number;
  /** A job that is retried ends again. */
  jobsCompleted: number;
  jobsFailed: number;
  jobsCancelled: number;
  readonly jobsRemoved: Record<RemovalCause, number>;
  tasksSubmitted: number;
  tasksCompleted: number;
  tasksFailed: number;
  /** How often a task had to wait for another attempt. */
  tasksRequeued: number;
  checkpoints: number;
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
    jobsRemoved: { deleted: 0, expired: 0, cleared: 0 },
    tasksSubmitted: 0,
    tasksCompleted: 0,
    tasksFailed: 0,
    tasksRequeued: 0,
    checkpoints: 0,
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
  const { attempts, jobsRemoved } = totals;
  return { ...totals, attempts: { ...attempts }, jobsRemoved: { ...jobsRemoved } };
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
      totals.jobsRemoved[event.because === 'asked' ? 'deleted' : 'expired']++;
      return;
    case 'database_cleared':
      totals.jobsRemoved.cleared += event.jobs;
      return;
    case 'task_completed':
      totals.tasksCompleted++;
      totals.completedMs += Math.max(0, event.runMs);
      totals.energyJoules += Math.max(0, event.energyJoules ?? 0);
      return;
    case 'task_failed':
      totals.tasksFailed++;
      return;
    case 'task_requeued':
      totals.tasksRequeued++;
      return;
    case 'checkpoint_saved':
      totals.checkpoints++;
      return;
    case 'attempt_ended':
      totals.attempts[event.outcome]++;
      return;
    default:
      return;
  }
}
