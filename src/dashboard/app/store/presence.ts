// Who is here, and how much room there is: the one sum of slots that all pages tell.

import { stateOf } from '../text/worker-states.ts';
import type { Worker } from './cluster.ts';

type Present = Pick<Worker, 'status' | 'active_tasks'>;
type Shut = Pick<Worker, 'draining' | 'leaving'>;

/** It is connected, was let in, and is not out of service. */
export function isHere(worker: Present): boolean {
  const state = stateOf(worker);
  return state !== 'offline' && state !== 'waiting' && state !== 'out';
}

/** Somebody drains it, or it is about to leave: it ends what it has. */
export function takesNothingNew({ draining, leaving }: Shut): boolean {
  return draining !== null || leaving;
}

/** It is given tasks as its slots get free. */
export function takesTasks(worker: Present & Shut & Pick<Worker, 'rests_because'>): boolean {
  const state = stateOf(worker);
  return (state === 'online' || state === 'busy') && !takesNothingNew(worker);
}

export interface Room {
  /** Devices. */
  readonly here: number;
  readonly slots: number;
  readonly taken: number;
}

/** Slots of those that are here. One that takes nothing new has none but those in which it still works. */
export function roomOf(workers: readonly (Present & Shut & Pick<Worker, 'slots'>)[]): Room {
  let [here, slots, taken] = [0, 0, 0];
  for (const worker of workers) {
    if (!isHere(worker)) continue;
    const busy = Math.min(worker.slots, worker.active_tasks);
    here++;
    taken += busy;
    slots += takesNothingNew(worker) ? busy : worker.slots;
  }
  return { here, slots, taken };
}
