// What a worker says of itself beside its work: that it rests, by the rules of its owner or its device, and
// for how long it may be silent for now. Both are said anew with every heartbeat.

import type { Event } from '../events.ts';
import type { AttemptRecord, WorkerRecord } from '../records.ts';
import type { State } from '../state.ts';
import { takeBack } from './hand-over.ts';

/** `because`: why it rests, in a word; null: it works. */
export function restChanges(worker: WorkerRecord, because: string | null, at: number): Event[] {
  if ((worker.rest?.because ?? null) === because) return [];
  return [{ type: 'worker_rest_changed', worker, because, at }];
}

/** `leaseMs`: null for that of its hello. */
export function leaseChanges(worker: WorkerRecord, leaseMs: number | null, at: number): Event[] {
  if (worker.leaseNowMs === leaseMs) return [];
  return [{ type: 'worker_lease_changed', worker, leaseMs, at }];
}

/** A rest begins: what its worker has not begun is for others, as at the begin of a drain. */
export function takeBackUnbegun(state: State, attempt: AttemptRecord, at: number): Event[] {
  return attempt.recalled ? [] : takeBack(state, attempt, 'rests', at);
}
