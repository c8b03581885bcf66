// A worker's status is derived from what is known of it; first match wins, in the order of the table
// in `docs/reference/states.md`.

import { hasFreeSlot } from './eligibility.ts';
import type { WorkerRecord } from './records.ts';

export type WorkerStatus = 'online' | 'busy' | 'offline' | 'waiting' | 'draining' | 'quarantined';

export function workerStatus(
  worker: Pick<
    WorkerRecord,
    'connection' | 'waitsUntil' | 'draining' | 'quarantine' | 'activeTasks' | 'slots'
  >,
): WorkerStatus {
  if (worker.connection.state === 'offline') return 'offline';
  if (worker.waitsUntil !== null) return 'waiting';
  // What somebody wants of it counts before what it did: while it drains it is not tried either.
  if (worker.draining !== null) return 'draining';
  if (worker.quarantine !== null) return 'quarantined';
  return hasFreeSlot(worker) ? 'online' : 'busy';
}
