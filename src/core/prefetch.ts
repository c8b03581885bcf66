// How much a worker may hold beyond its slots. Short tasks would otherwise wait for the wire after
// every one of them; long ones must not pile up on a device while another one is idle. So: as much
// as `prefetchMs` of measured work per slot, beginning with nothing, doubling with every report.

import { hasFreeSlot } from './eligibility.ts';
import type { JobRecord, WorkerRecord } from './records.ts';
import type { CoreSettings } from './settings.ts';

/** The worker may take one more attempt of this job, in a free slot or beyond its slots. */
export function mayTakeOneMore(
  settings: CoreSettings,
  worker: WorkerRecord,
  job: JobRecord,
): boolean {
  if (hasFreeSlot(worker)) return true;
  if (worker.quarantine !== null) return false;
  // Workers over plain HTTP get no backlog beyond their slots.
  const { connection } = worker;
  if (connection.state !== 'connected' || connection.transport === 'http') return false;
  if (worker.activeTasks >= worker.slots + worker.prefetch) return false;
  if (job.smoothedTaskMs === null) return false;
  return worker.queuedMs + job.smoothedTaskMs <= settings.prefetchMs * worker.slots;
}

/** The next step of the ramp, after a completed task. A new connection or a recall sets it back to 0. */
export function grownPrefetch(settings: CoreSettings, worker: WorkerRecord): number {
  const most = settings.maxPrefetch * worker.slots;
  return Math.min(most, Math.max(worker.slots, worker.prefetch * 2));
}
