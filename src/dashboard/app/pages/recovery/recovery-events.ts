// What was lost and what became of it: sums, sentences, and lengths on one scale.

import type { RecoveryEvent, RecoveryReason } from '../../../../protocol/resources.ts';
import { withUnit } from '../../text/numbers.ts';
import { duration } from '../../text/times.ts';
import { counted, inWords } from '../../text/words.ts';

export interface RecoveryFilter {
  readonly reason: string | null;
  readonly jobId: string | null;
  /** Null: whenever it was. */
  readonly sinceMs: number | null;
}

export function filtered(
  events: readonly RecoveryEvent[],
  { reason, jobId, sinceMs }: RecoveryFilter,
): readonly RecoveryEvent[] {
  return events.filter(
    (event) =>
      (reason === null || event.reason === reason) &&
      (jobId === null || event.job_id === jobId) &&
      (sinceMs === null || Date.parse(event.lost_at) >= sinceMs),
  );
}

export interface RecoverySums {
  readonly events: number;
  readonly savedSeconds: number;
  readonly repeatedSeconds: number;
  /** From a checkpoint, or where it was. */
  readonly wentOn: number;
  readonly restarted: number;
  readonly waiting: number;
  readonly failed: number;
  readonly devices: number;
}

export function sumsOf(events: readonly RecoveryEvent[]): RecoverySums {
  const count = (...outcomes: readonly RecoveryEvent['outcome'][]): number =>
    events.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const sum = (of: (event: RecoveryEvent) => number): number =>
    events.reduce((all, event) => all + of(event), 0);
  return {
    events: events.length,
    savedSeconds: sum(({ work_saved_seconds: seconds }) => seconds),
    repeatedSeconds: sum(({ time_lost_seconds: seconds }) => seconds),
    wentOn: count('resumed', 'adopted'),
    restarted: count('restarted'),
    waiting: count('requeued'),
    failed: count('failed'),
    devices: new Set(events.map(({ from_worker_id: id }) => id)).size,
  };
}

/** How often each reason is there, most frequent first. */
export function reasonCounts(
  events: readonly RecoveryEvent[],
): readonly (readonly [RecoveryReason, number])[] {
  const counts = new Map<RecoveryReason, number>();
  for (const { reason } of events) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

/** What the sums say, behind the two lengths. */
export function outcomeSentence(sums: RecoverySums): string {
  const parts = [
    sums.wentOn > 0
      ? `${counted(sums.wentOn, 'task')} went on from a checkpoint or where it was`
      : '',
    sums.restarted > 0 ? `${counted(sums.restarted, 'task')} began anew` : '',
    sums.waiting > 0
      ? `${counted(sums.waiting, 'task')} still ${sums.waiting === 1 ? 'waits' : 'wait'} for a device`
      : '',
    sums.failed > 0 ? `${counted(sums.failed, 'task')} failed: no attempt was left` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `${parts.join('; ')}.`;
}

/** `14 attempts on three devices`. */
export function lostWords({ events, devices }: RecoverySums): string {
  return `${counted(events, 'attempt')} on ${inWords(devices, 'device')}`;
}

/** Of work: none is no length at all. */
export function workWords(seconds: number): string {
  return seconds > 0 ? duration(seconds) : withUnit('0', 's');
}

/** Where a task went on, and from how far. */
export function wentOnWords(
  event: RecoveryEvent,
  nameOfWorker: (id: string) => string,
): { readonly from: string; readonly to: string | null } {
  const { outcome, resumed_from_progress: progress, to_worker_id: to } = event;
  if (outcome === 'failed') return { from: 'no attempt was left', to: null };
  if (outcome === 'requeued' || to === null) return { from: 'waits for a device', to: null };
  const where = nameOfWorker(to);
  if (outcome === 'adopted') return { from: 'where it was', to: where };
  if (progress === null) return { from: 'from the start', to: where };
  return { from: `from ${withUnit(String(Math.round(100 * progress)), '%')}`, to: where };
}

/** Shares of the whole width, on the scale that all rows have. */
export interface RecoveryLengths {
  readonly saved: number;
  readonly repeated: number;
}

export function lengthsOf(
  { work_saved_seconds: saved, time_lost_seconds: repeated }: RecoveryEvent,
  mostSeconds: number,
): RecoveryLengths {
  return mostSeconds <= 0
    ? { saved: 0, repeated: 0 }
    : { saved: saved / mostSeconds, repeated: repeated / mostSeconds };
}

export function longestOf(events: readonly RecoveryEvent[]): number {
  return events.reduce(
    (most, each) => Math.max(most, each.work_saved_seconds + each.time_lost_seconds),
    0,
  );
}

/** Between the loss and the next start; null: it has not started. */
export function pauseSeconds({ lost_at: lost, resumed_at: resumed }: RecoveryEvent): number | null {
  return resumed === null ? null : Math.max(0, Date.parse(resumed) - Date.parse(lost)) / 1000;
}

/** For the picture of a row, as a sentence. */
export function told(event: RecoveryEvent, nameOfWorker: (id: string) => string): string {
  const { from, to } = wentOnWords(event, nameOfWorker);
  const next = to === null ? from : `${from}, on ${to}`;
  return `Lost on ${nameOfWorker(event.from_worker_id)}: ${workWords(event.work_saved_seconds)} saved, ${workWords(event.time_lost_seconds)} to be repeated; ${next}.`;
}
