// Who a worker is that says it is known: an id, and a token of which only the hash is stored. Sockets and
// plain HTTP ask here, and each answers in its own way.

import type { WorkerRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { Rejection } from '../port/rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Batch } from '../writer/batch.ts';

export type Identity =
  | { readonly is: 'known'; readonly worker: WorkerRecord }
  /** Registered, with another token. */
  | { readonly is: 'not_yours' }
  /** By an operator, and must stay away. */
  | { readonly is: 'removed'; readonly hasToken: boolean }
  /** Of a database that is no more, or of none. */
  | { readonly is: 'unknown' };

export interface Registry {
  readonly state: State;
  readonly runtime: Pick<Runtime, 'hash'>;
}

/** Whoever asks has told the batch that it wants the worker, if it is not registered. */
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
    // By this very batch.
    state.dirty.deregistered.find(({ id }) => id === workerId);
  if (removed === undefined) return { is: 'unknown' };
  return { is: 'removed', hasToken: isItsOwn(removed) };
}

/** In the words that both transports use. */
export function whyNot(
  is: Exclude<Identity['is'], 'known'>,
  workerId: string,
): Rejection<'not_yours' | 'deregistered' | 'unknown_worker'> {
  switch (is) {
    case 'not_yours':
      return { code: is, detail: `The token does not belong to worker ${workerId}.` };
    case 'removed':
      return {
        code: 'deregistered',
        detail: `Worker ${workerId} was removed and must stay away.`,
      };
    case 'unknown':
      return { code: 'unknown_worker', detail: `No worker has the id ${workerId}; register anew.` };
  }
}

/** Whether it is known by this token, and has completed or failed a task. */
export function isProven({ state, runtime }: Registry, workerId: string, token: string): boolean {
  const worker = state.workers.get(workerId);
  return worker !== undefined && hasWorked(worker) && worker.tokenHash === runtime.hash(token);
}

export function hasWorked({ totalCompleted, totalFailed }: WorkerRecord): boolean {
  return totalCompleted + totalFailed > 0;
}
