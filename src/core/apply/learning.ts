// What a report says of its worker (how long a task took, that one failed, what it cost) counts for the
// very next decision, not only from the next heartbeat on. Only the view of that worker is replaced.

import { observe } from '../create/worker.ts';
import type { WorkerRecord } from '../records.ts';
import type { State } from '../state.ts';

/** The counters of the worker have just changed. */
export function learnFrom(state: State, worker: WorkerRecord): void {
  worker.observed = observe(worker, worker.observed);
  state.snapshotVersion++;
}
