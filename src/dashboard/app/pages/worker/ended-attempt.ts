// An attempt as the evaluation lists it, and what of it is shown.

import type { AttemptEntry } from '../../../../protocol/resources.ts';
import type { ShownState } from '../../look/states.ts';
import { percent } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';

export interface ListedAttempt {
  readonly job_id: string;
  readonly task_id: string;
  readonly index: number;
  readonly attempt: number;
  readonly worker_id: string;
  readonly slot: number | null;
  readonly status: AttemptEntry['status'];
  readonly assigned_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly progress: number;
  readonly resumed_from_progress: number | null;
  readonly resumed_from_attempt: number | null;
  readonly checkpoints: number;
  readonly error_type: string | null;
}

export interface ListedAttempts {
  /** The answer is whole from then on. */
  readonly kept_since: string;
  readonly left_out: number;
  readonly attempts: readonly ListedAttempt[];
}

/** The state whose shape stands for the outcome. */
export function glyphOf({ status }: Pick<ListedAttempt, 'status'>): ShownState {
  if (status === 'completed' || status === 'running' || status === 'assigned') return status;
  if (status === 'failed' || status === 'timed_out' || status === 'lost') return 'failed';
  return 'cancelled';
}

export function outcomeOf({
  status,
  error_type: error,
}: Pick<ListedAttempt, 'status' | 'error_type'>): string {
  const word = status.replace('_', ' ');
  return error === null || error === status ? word : `${word}: ${error}`;
}

/** How long it ran; null: it never began, or still runs. */
export function secondsOf({
  started_at: start,
  ended_at: end,
}: Pick<ListedAttempt, 'started_at' | 'ended_at'>): number | null {
  if (start === null || end === null) return null;
  return Math.max(0, (Date.parse(end) - Date.parse(start)) / 1000);
}

export function lengthOf(attempt: Pick<ListedAttempt, 'started_at' | 'ended_at'>): string {
  const seconds = secondsOf(attempt);
  return seconds === null ? 'not begun' : duration(seconds);
}

/** `from 62 %, of attempt 1`; null: from the start. */
export function resumedFrom({
  resumed_from_progress: progress,
  resumed_from_attempt: attempt,
}: Pick<ListedAttempt, 'resumed_from_progress' | 'resumed_from_attempt'>): string | null {
  if (progress === null) return null;
  return `from ${percent(progress)}${attempt === null ? '' : `, of attempt ${attempt}`}`;
}
