// An attempt on this worker, from its assignment until its report is acknowledged.

import { payloadText } from '../../protocol/codec.ts';
import type { Assignment, AttemptRef, FailureReport } from '../../protocol/messages.ts';
import type { ResultReport } from '../../protocol/messages.ts';
import { localOwner } from '../../protocol/owner.ts';
import type { AttemptKey } from '../executor.ts';
import type { CheckpointFlow } from './checkpoints.ts';
import type { Job } from './jobs.ts';
import type { Slot } from './slot.ts';

export interface LocalAttempt {
  readonly key: AttemptKey;
  readonly job: Job;
  /** Whose job it is. */
  readonly owner: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly index: number;
  /** Of what waits, larger goes first. */
  readonly priority: number;
  readonly inputJson: string;
  readonly stateJson: string | null;
  readonly receivedAtMs: number;
  /** When the executor reported that the attempt runs; null before. */
  startedAtMs: number | null;
  /** Replaced when the same attempt is assigned again with a new token. */
  token: string;
  place: Place;
  /** Latest progress, at first that of the checkpoint it resumes from; null while there is none. */
  progress: number | null;
  progressMessage: string | null;
  checkpoints: CheckpointFlow | null;
  /** `passedMs` of the queue when the attempt was appended. Invariant: rises along the queue. */
  passedFromMs: number;
  /** Neighbours in the queue. Invariant: null unless `place.at` is `queued`. */
  previous: LocalAttempt | null;
  next: LocalAttempt | null;
}

/**
 * - `parked`: waits until an older try with the same key has left the executor; then queued.
 * - `queued`: in the local queue, recallable; left by hand-over, release or an order to stop.
 * - `handed`: in a slot of the executor; left by its outcome, or when the executor returns it.
 * - `saving`: stopped because the worker leaves or rests, and its last checkpoint is not acknowledged yet, or there
 *   is no connection to give it back over; left by that acknowledgement or by `welcome`.
 * - `reported`: in the outbox; left by `ack`, `reject` or an order to stop.
 * - `gone`: forgotten.
 */
export type Place =
  | { readonly at: 'parked' }
  | { readonly at: 'queued' }
  | HandedPlace
  | SavingPlace
  | ReportedPlace
  | { readonly at: 'gone' };

export interface HandedPlace {
  readonly at: 'handed';
  readonly slot: Slot;
  /** Run time expected at the hand-over; part of the slot's `workMs`. */
  readonly estimateMs: number;
  ending: Ending;
}

export interface SavingPlace {
  readonly at: 'saving';
  /** `bye` releases the attempt; otherwise a `release` does. */
  readonly isByBye: boolean;
}

export interface ReportedPlace {
  readonly at: 'reported';
  report: Report;
  /** When the report was sent last, on any connection; -Infinity before the first time. */
  sentAtMs: number;
}

/**
 * What becomes of a handed attempt when the executor answers `stopped`. All but `none` mean that
 * the executor was told to stop it; a result that came first is reported in every case but `drop`.
 * - `requeue`: back to the local queue, because another slot is free.
 * - `release`: given back to the coordinator, because it has recalled it or because the worker rests.
 * - `release_by_bye`: released by `bye`, because the worker leaves.
 * - `drop`: the coordinator ordered the stop; the attempt is no longer held and not reported.
 */
export type Ending = 'none' | 'requeue' | 'release' | 'release_by_bye' | 'drop';

/** The one final report of an attempt. */
export type Report =
  | { readonly kind: 'result'; readonly entry: ResultReport; readonly characters: number }
  | { readonly kind: 'failure'; readonly entry: FailureReport }
  | { readonly kind: 'refusal'; readonly entry: AttemptRef & { readonly reason: string } };

export function attemptKey(taskId: string, attempt: number): AttemptKey {
  return `${taskId}#${attempt}`;
}

export function attemptRef(attempt: LocalAttempt): AttemptRef {
  return { task_id: attempt.taskId, attempt: attempt.attempt, token: attempt.token };
}

export function newAttempt(assignment: Assignment, job: Job, nowMs: number): LocalAttempt {
  const { task_id: taskId, attempt, token, index, priority = 0, input, checkpoint } = assignment;
  return {
    key: attemptKey(taskId, attempt),
    job,
    owner: assignment.owner ?? localOwner,
    taskId,
    attempt,
    index,
    priority,
    inputJson: payloadText(input),
    stateJson: checkpoint === undefined ? null : payloadText(checkpoint.state),
    receivedAtMs: nowMs,
    startedAtMs: null,
    token,
    place: { at: 'gone' },
    progress: checkpoint?.progress ?? null,
    progressMessage: null,
    checkpoints: null,
    passedFromMs: 0,
    previous: null,
    next: null,
  };
}
