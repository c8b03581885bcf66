// What becomes of a task when one of its attempts ends without a result.

import type { AttemptEnded, Event } from '../events.ts';
import type { AttemptRecord, JobRecord, RefusalPause, TaskRecord } from '../records.ts';
import { isFailure } from '../blame.ts';
import type { State } from '../state.ts';
import { afterFailure } from './quarantine.ts';

type AttemptEnd = Omit<AttemptEnded, 'type' | 'startedAt' | 'runMs' | 'pause' | 'isHandedOver'> & {
  readonly pause?: RefusalPause;
  readonly isHandedOver?: boolean;
  /** As its worker says, null when it does not. */
  readonly runMs: number | null;
  /** When it is known only from what ends it; else as it stands in the attempt. */
  readonly startedAt?: number | null;
};

export interface Ending extends AttemptEnd {
  readonly retryable: boolean;
  /** From 0 to below 1; spreads the retries. */
  readonly chance: number;
}

/** Ends the attempt; the task waits again while budget remains, else it has failed. */
export function failOrRequeue(state: State, ending: Ending): Event[] {
  const { attempt, outcome, errorType, errorMessage, charge, at } = ending;
  const { task } = attempt;
  const isCarriedOn = task.live.length > 1;
  const events: Event[] = [endAttempt(ending)];
  if (isFailure(outcome)) {
    events.push(...afterFailure(state, attempt.worker, at));
  }
  if (isCarriedOn) return events;
  const used = tasksBudgetUsed(task, charge);
  if (ending.retryable && used.spent < used.allowed) {
    events.push({ type: 'task_requeued', task, notBefore: retryAt(state, task, ending), at });
    return events;
  }
  const error = { type: errorType, message: errorMessage };
  events.push({ type: 'task_failed', task, attempt: task.attempt, error, at });
  if (task.job.spec.onTaskFailure === 'fail_job') {
    events.push(...revokeAll(task.job, 'job_failed', at, attempt));
    events.push({ type: 'job_abandoned', job: task.job, at });
  }
  return events;
}

/** Ends every live attempt of a job but one; nothing they say counts any more. */
export function revokeAll(
  job: JobRecord,
  reason: string,
  at: number,
  except?: AttemptRecord,
): Event[] {
  const events: Event[] = [];
  for (const task of job.tasks.values()) {
    for (const attempt of task.live) {
      if (attempt !== except) events.push(revoked(attempt, reason, at));
    }
  }
  return events;
}

export function revoked(attempt: AttemptRecord, reason: string, at: number): Event {
  return endAttempt({
    attempt,
    outcome: 'revoked',
    errorType: reason,
    errorMessage: `The attempt was taken back: ${reason}.`,
    charge: 'none',
    runMs: null,
    at,
  });
}

/** The event alone; nothing follows of it. */
export function endAttempt(ending: AttemptEnd): AttemptEnded {
  const { attempt, at } = ending;
  const startedAt = ending.startedAt ?? attempt.startedAt;
  return {
    type: 'attempt_ended',
    attempt,
    outcome: ending.outcome,
    errorType: ending.errorType,
    errorMessage: ending.errorMessage,
    charge: ending.charge,
    isHandedOver: ending.isHandedOver ?? false,
    pause: ending.pause ?? null,
    startedAt,
    runMs: ending.runMs ?? at - (startedAt ?? at),
    at,
  };
}

function tasksBudgetUsed(task: TaskRecord, charge: Ending['charge']) {
  const { maxAttempts, maxLostAttempts } = task.job.spec;
  switch (charge) {
    case 'none':
      return { spent: 0, allowed: 1 };
    case 'error':
      return { spent: task.errors + 1, allowed: maxAttempts };
    case 'timeout':
      return { spent: task.timeouts + 1, allowed: maxAttempts };
    case 'loss':
      return { spent: task.losses + 1, allowed: maxLostAttempts };
  }
}

/**
 * Exponential backoff with full jitter after an error or a time-out; at once otherwise: when a worker did
 * not take the task, it is the worker that pauses.
 */
function retryAt(state: State, task: TaskRecord, ending: Ending): number {
  if (ending.charge !== 'error' && ending.charge !== 'timeout') return 0;
  const failures = task.errors + task.timeouts;
  const longest = Math.min(
    state.settings.maxRetryDelayMs,
    task.job.spec.retryDelayMs * 2 ** Math.min(failures, 30),
  );
  return ending.at + Math.ceil(longest * ending.chance);
}
