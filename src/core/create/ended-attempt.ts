// What the history keeps of an attempt that did not succeed. Attempts that nobody took are many when a
// device refuses all night, so those of one worker in a row share a row.

import type { AttemptEnded } from '../events.ts';
import type {
  AttemptAccount,
  AttemptRecord,
  EndedAttempt,
  TaskRecord,
  UntakenAttempts,
} from '../records.ts';

/** Null for an attempt that was recalled before it began: it goes on elsewhere. */
export function createEndedAttempt(event: AttemptEnded): EndedAttempt | null {
  const { attempt, outcome, errorType, errorMessage, startedAt, runMs, at } = event;
  const untaken = untakenWith(event);
  if (outcome === 'released' && attempt.recalled && startedAt === null) return null;
  return {
    job: attempt.task.job,
    index: attempt.task.index,
    attempt: untaken?.attempt ?? attempt.attempt,
    count: untaken?.count ?? 1,
    workerId: attempt.worker.id,
    token: mayReportLate(event) ? attempt.token : null,
    outcome,
    errorType,
    errorMessage,
    assignedAt: untaken?.assignedAt ?? attempt.assignedAt,
    startedAt,
    endedAt: at,
    account: { runMs, ...accountOf(attempt) },
  };
}

/** The next attempt has the same number, so this one is kept under the negative of it. */
export function createWithdrawnAttempt(attempt: AttemptRecord, at: number): EndedAttempt {
  const { attempt: number, count, assignedAt } = withdrawnWith(attempt);
  return {
    job: attempt.task.job,
    index: attempt.task.index,
    attempt: -number,
    count,
    workerId: attempt.worker.id,
    token: null,
    outcome: 'withdrawn',
    errorType: 'not_fetched',
    errorMessage: 'The worker did not ask for it in time.',
    assignedAt,
    startedAt: null,
    endedAt: at,
    account: { runMs: 0, ...accountOf(attempt) },
  };
}

/** Where an attempt that ends now began, and what it saved. */
export function accountOf({ checkpoints, resumedFrom }: AttemptRecord): AttemptAccount {
  if (resumedFrom === null) return { checkpoints, resumedFrom };
  const { attempt, progress } = resumedFrom;
  return { checkpoints, resumedFrom: { attempt, progress } };
}

/** The attempt with those before it that its worker did not take either; undefined when it took it. */
export function untakenWith({
  attempt,
  outcome,
  startedAt,
}: Pick<AttemptEnded, 'attempt' | 'outcome' | 'startedAt'>): UntakenAttempts | undefined {
  const isReleased = outcome === 'released' && startedAt === null;
  if (outcome !== 'refused' && !isReleased) return undefined;
  const { id: workerId } = attempt.worker;
  const before = attempt.task.untaken.find(
    (each) => each.workerId === workerId && each.outcome === outcome,
  );
  return before === undefined
    ? { workerId, outcome, attempt: attempt.attempt, assignedAt: attempt.assignedAt, count: 1 }
    : { ...before, count: before.count + 1 };
}

/** The attempt with those of the same number that were withdrawn before. */
export function withdrawnWith({
  task,
  worker,
  attempt,
  assignedAt,
}: AttemptRecord): UntakenAttempts {
  const { id: workerId } = worker;
  const before = task.untaken.find(
    (each) => each.outcome === 'withdrawn' && each.attempt === attempt,
  );
  return before === undefined
    ? { workerId, outcome: 'withdrawn', attempt, assignedAt, count: 1 }
    : { ...before, workerId, count: before.count + 1 };
}

/** Most streaks that are remembered per task; the oldest is forgotten first. */
const mostUntaken = 64;

/** Remembers a streak in place of the one that it continues. */
export function rememberUntaken(task: TaskRecord, untaken: UntakenAttempts): void {
  const { outcome, attempt } = untaken;
  const others = task.untaken.filter(
    (each) => each.attempt !== attempt || each.outcome !== outcome,
  );
  task.untaken = [...others, untaken].slice(-mostUntaken);
}

/** After such an end the worker may still bring the result, or report the end once more. */
export function mayReportLate({
  outcome,
  startedAt,
}: Pick<AttemptEnded, 'outcome' | 'startedAt'>): boolean {
  // What was handed over goes on until the order to stop arrives.
  const isHandedOver = outcome === 'released' && startedAt !== null;
  return isHandedOver || outcome === 'lost' || outcome === 'timed_out' || outcome === 'failed';
}
