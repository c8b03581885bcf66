// What is wrong with a worker, and what is only worth a remark: that it rests is no fault.

import { restText } from '../../../../protocol/resting.ts';
import type { Worker } from '../../store/cluster.ts';
import { percent } from '../../text/numbers.ts';
import { counted } from '../../text/words.ts';
import { wholeDuration } from '../../text/times.ts';

export type TroubleKind = 'waiting' | 'quarantined' | 'refusing' | 'failing' | 'silent';

export interface Trouble {
  readonly kind: TroubleKind;
  /** A few words, to stand under its name. */
  readonly text: string;
}

/** What fails everywhere is no fault of one device: it is one to fail far more than the others do. */
const leastFailed = 5;
const leastShare = 0.1;
const timesTheOthers = 3;

export interface Outcomes {
  readonly completed: number;
  readonly failed: number;
}

/** Of all workers together. */
export function outcomesOf(workers: readonly Worker[]): Outcomes {
  let completed = 0;
  let failed = 0;
  for (const worker of workers) {
    completed += worker.total_completed;
    failed += worker.total_failed;
  }
  return { completed, failed };
}

/** `all`: of all workers, this one among them. Null: nothing is wrong with it. */
export function troubleOf(worker: Worker, all: Outcomes, nowMs: number): Trouble | null {
  const { status, waits_until: waitsUntil, refusing } = worker;
  if (status === 'waiting' || waitsUntil !== undefined) {
    return { kind: 'waiting', text: 'asks to be let in' };
  }
  if (status === 'quarantined') return { kind: 'quarantined', text: 'fails what others finish' };
  if (status === 'offline') return null;
  const silence = silenceSeconds(worker, nowMs);
  if (silence !== null) return { kind: 'silent', text: `silent for ${wholeDuration(silence)}` };
  if (refusing !== undefined) {
    return { kind: 'refusing', text: `gave back ${counted(refusing.offers, 'task')} in a row` };
  }
  // Somebody has taken it out already.
  return worker.draining === null ? failing(worker, all) : null;
}

/** Also of one that was taken out for it. */
export function failing(worker: Worker, all: Outcomes): Trouble | null {
  const { total_completed: completed, total_failed: failed } = worker;
  if (failed < leastFailed) return null;
  const share = failed / (completed + failed);
  const others = all.completed + all.failed - completed - failed;
  const othersShare = others === 0 ? 1 : (all.failed - failed) / others;
  if (share < leastShare || share < timesTheOthers * othersShare) return null;
  return { kind: 'failing', text: `fails ${percent(share)}, the others ${percent(othersShare)}` };
}

/** Three heartbeats are a lease: from one and a half on its silence is told. Null: it is not silent. */
export function silenceSeconds(
  { status, last_heartbeat: heard, lease_seconds: lease }: Worker,
  nowMs: number,
): number | null {
  if (status === 'offline') return null;
  const seconds = (nowMs - Date.parse(heard)) / 1000;
  return seconds > lease / 2 ? seconds : null;
}

/** No fault, and yet a reason for getting less than others; null: there is none. */
export function remarkOf(worker: Worker, all: Outcomes): string | null {
  const { status, rests_because: rest, leaving, draining, active_tasks: active } = worker;
  if (status === 'offline') return null;
  if (leaving) return 'about to leave';
  if (draining !== null) {
    return active === 0
      ? (failing(worker, all)?.text ?? 'given nothing')
      : `${counted(active, 'task')} left, then out of service`;
  }
  return rest === null ? null : `rests: ${restText(rest)}`;
}
