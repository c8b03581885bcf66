// An attempt on this worker, from its assignment until its report is acknowledged.

import type { AttemptRef, FailureReport, ResultReport } from '../../protocol/messages.ts';
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
  readonly inputJson: string;
  readonly stateJson: string | null;
  readonly receivedAtMs: number;
  /** When the executor said that it runs; null before. */
  startedAtMs: number | null;
  /** Replaced when the same attempt is assigned again with a new one. */
  token: string;
  place: Place;
  /** Latest of this attempt, at first that of the checkpoint it resumes from; null when there is none. */
  progress: number | null;
  progressMessage: string | null;
  checkpoints: CheckpointFlow | null;
  /** `passedMs` of the queue when it came there. Invariant: rises along the queue. */
  passedFromMs: number;
  /** Neighbours in the queue. Invariant: null unless `place.at` is `queued`. */
  previous: LocalAttempt | null;
  next: LocalAttempt | null;
}

/**
 * - `parked`: waits until an older try with the same key has left the executor; then queued.
 * - `queued`: in the local queue, recallable; left by hand-over, release or an order to stop.
 * - `handed`: in a slot of the executor; left by its outcome, or when the executor returns it.
 * - `saving`: it has left the executor because the worker leaves, and its last checkpoint is not
 *   acknowledged yet; left by that answer, and `bye` releases it then.
 * - `reported`: in the outbox; left by `ack`, `reject` or an order to stop.
 * - `gone`: forgotten.
 */
export type Place =
  | { readonly at: 'parked' }
  | { readonly at: 'queued' }
  | HandedPlace
  | { readonly at: 'saving' }
  | ReportedPlace
  | { readonly at: 'gone' };

export interface HandedPlace {
  readonly at: 'handed';
  readonly slot: Slot;
  /** Work that the hand-over expected; part of the slot's `workMs`. */
  readonly estimateMs: number;
  ending: Ending;
}

export interface ReportedPlace {
  readonly at: 'reported';
  report: Report;
  /** On whatever connection; -Infinity before the first time. */
  sentAtMs: number;
}

/**
 * What becomes of a handed attempt when the executor answers `stopped`. All but `none` mean that it
 * was told to stop; a result that came first is reported in every case but `drop`.
 * - `requeue`: back to the local queue, another slot is free.
 * - `release`: recalled; the coordinator is told that it was not begun.
 * - `release_by_bye`: the worker leaves; `bye` releases it.
 * - `drop`: an order to stop; it is no longer held, nothing of it is reported.
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
