// An attempt as the evaluation lists it, and what of it is shown.

import type { AttemptOfHistory } from '../../../../protocol/evaluation.ts';
import type { ShownState } from '../../look/states.ts';
import { percent } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';

/** The state whose shape stands for the outcome. */
export function glyphOf({ status }: Pick<AttemptOfHistory, 'status'>): ShownState {
  if (status === 'completed' || status === 'running' || status === 'assigned') return status;
  if (status === 'failed' || status === 'timed_out' || status === 'lost') return 'failed';
  return 'cancelled';
}

export function outcomeOf({
  status,
  error_type: error,
}: Pick<AttemptOfHistory, 'status' | 'error_type'>): string {
  const word = status.replace('_', ' ');
  return error === null || error === status ? word : `${word}: ${error}`;
}

/** How long it ran; null: it never began, or still runs. */
export function secondsOf({
  started_at: start,
  ended_at: end,
}: Pick<AttemptOfHistory, 'started_at' | 'ended_at'>): number | null {
  if (start === null || end === null) return null;
  return Math.max(0, (Date.parse(end) - Date.parse(start)) / 1000);
}

export function lengthOf(attempt: Pick<AttemptOfHistory, 'started_at' | 'ended_at'>): string {
  const seconds = secondsOf(attempt);
  return seconds === null ? 'not begun' : duration(seconds);
}

/** `from 62 %, of attempt 1`; null: from the start. */
export function resumedFrom({
  resumed_from_progress: progress,
  resumed_from_attempt: attempt,
}: Pick<AttemptOfHistory, 'resumed_from_progress' | 'resumed_from_attempt'>): string | null {
  if (progress === null) return null;
  return `from ${percent(progress)}${attempt === null ? '' : `, of attempt ${attempt}`}`;
}
