// Checks the identity of a worker that comes back: an id, and a token of which only the hash is stored. Both
// transports use it, and answer in their own ways.

import type { WorkerRecord } from '../../core/records.ts';
import { quotedId } from '../../core/rejection.ts';
import type { State } from '../../core/state.ts';
import type { Rejection } from '../port/rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Batch } from '../writer/batch.ts';

export type Identity =
  | { readonly is: 'known'; readonly worker: WorkerRecord }
  /** The worker is registered, with another token. */
  | { readonly is: 'not_yours' }
  /** An operator removed the worker: it must stay away. */
  | { readonly is: 'removed'; readonly hasToken: boolean }
  /** The id belongs to a database that was cleared, or to none. */
  | { readonly is: 'unknown' };

export interface Registry {
  readonly state: State;
  readonly runtime: Pick<Runtime, 'hash'>;
}

/** Invariant: when the worker is not registered, the work has asked for it in `wants`. */
export function identify(
  { state, runtime }: Registry,
  batch: Batch,
  workerId: string,
  token: string,
): Identity {
  const worker = state.workers.get(workerId);
  const isItsOwn = ({ tokenHash }: { tokenHash: string }) => tokenHash === runtime.hash(token);
  if (worker !== undefined) return isItsOwn(worker) ? { is: 'known', worker } : { is: 'not_yours' };
  const removed =
    batch.visitors.workers.get(workerId) ??
    // Removed by this very batch.
    removedNow(state, workerId);
  if (removed === undefined || removed.mayReturn) return { is: 'unknown' };
  return { is: 'removed', hasToken: isItsOwn(removed) };
}

function removedNow({ dirty }: State, workerId: string) {
  const removed = dirty.deregistered.find(({ worker }) => worker.id === workerId);
  return removed && { tokenHash: removed.worker.tokenHash, mayReturn: removed.mayReturn };
}

/** The refusal in the words that both transports use. */
export function whyNot(
  is: Exclude<Identity['is'], 'known'>,
  workerId: string,
): Rejection<'not_yours' | 'deregistered' | 'unknown_worker'> {
  switch (is) {
    case 'not_yours':
      return { code: is, detail: `The token does not belong to worker ${quotedId(workerId)}.` };
    case 'removed':
      return {
        code: 'deregistered',
        detail: `Worker ${quotedId(workerId)} was removed and must stay away.`,
      };
    case 'unknown':
      return {
        code: 'unknown_worker',
        detail: `No worker has the id ${quotedId(workerId)}; register anew.`,
      };
  }
}

/** Whether the worker is known by this token, and has completed or failed a task. */
export function isProven({ state, runtime }: Registry, workerId: string, token: string): boolean {
  const worker = state.workers.get(workerId);
  return worker !== undefined && hasWorked(worker) && worker.tokenHash === runtime.hash(token);
}

export function hasWorked({ totalCompleted, totalFailed }: WorkerRecord): boolean {
  return totalCompleted + totalFailed > 0;
}
