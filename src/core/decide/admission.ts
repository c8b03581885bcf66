// A worker that joined by a token that asks for it waits until a person lets it in. Until then it is given nothing.

import type { Event } from '../events.ts';
import type { WorkerRecord } from '../records.ts';
import { reject, unknownWorker } from '../rejection.ts';
import type { State } from '../state.ts';
import type { Accepted, Decision } from './decision.ts';

export function decideApprove(state: State, id: string, at: number): Decision {
  const worker = state.workers.get(id);
  if (worker === undefined) return unknownWorker(id);
  if (worker.waitsUntil === null) return { events: [] };
  // Its time is over, and only the deadline has not been handled yet.
  if (worker.waitsUntil <= at) return unknownWorker(id);
  return { events: [{ type: 'worker_approved', worker, at }] };
}

export function decideRefuse(state: State, id: string, at: number): Decision {
  const worker = state.workers.get(id);
  if (worker === undefined) return unknownWorker(id);
  if (worker.waitsUntil === null) {
    return reject('not_waiting', 'The worker has been let in; `muster deregister` removes it.');
  }
  return { events: [{ type: 'worker_deregistered', worker, because: 'refused', at }] };
}

/** The deadline of its waiting: nobody has answered. */
export function endWaiting(worker: WorkerRecord, at: number): Accepted {
  const event: Event = { type: 'worker_deregistered', worker, because: 'unanswered', at };
  return { events: [event] };
}

export function decideRename(state: State, id: string, name: string, at: number): Decision {
  const worker = state.workers.get(id);
  if (worker === undefined) return unknownWorker(id);
  if (worker.givenName === name) return { events: [] };
  return { events: [{ type: 'worker_renamed', worker, name, at }] };
}
