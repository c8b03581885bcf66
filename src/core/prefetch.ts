// How much a worker may hold beyond its slots. Short tasks would otherwise wait for the wire after
// every one of them; long ones must not pile up on a device while another one is idle. So: as much
// as `prefetchMs` of measured work per slot, beginning with nothing, doubling with every report.
//
// Where priorities count, a worker runs what is more important first. So what is less important does not
// fill a backlog for it: an urgent task need not wait until the backlog has room, nor be measured to pass it.

import { hasFreeSlot } from './eligibility.ts';
import type { EntryRecord, JobRecord, WorkerRecord } from './records.ts';
import type { CoreSettings } from './settings.ts';
import type { State } from './state.ts';

/** Attempts that a worker may hold in all, as a multiple of `maxPrefetch`: however many priorities there are. */
const mostBacklogs = 2;
/** A worker with a backlog of short tasks that has reported none for so long is stuck. */
const mostSilentMs = 1000;

/** The worker may take one more attempt of this entry, in a free slot or beyond its slots. */
export function mayTakeOneMore(
  { settings, queue }: Pick<State, 'settings' | 'queue'>,
  worker: WorkerRecord,
  { job, priority }: Pick<EntryRecord, 'job' | 'priority'>,
  at: number,
): boolean {
  if (hasFreeSlot(worker)) return true;
  if (worker.quarantine !== null) return false;
  // Workers over plain HTTP get no backlog beyond their slots.
  const { connection, slots, activeTasks } = worker;
  if (connection.state !== 'connected' || connection.transport === 'http') return false;
  let [count, expectedMs] = [activeTasks, worker.queuedMs];
  if (queue.order === 'priority') {
    if (activeTasks >= slots * (1 + mostBacklogs * settings.maxPrefetch)) return false;
    ({ count, expectedMs } = worker.held.from(priority));
    if (count < slots && movesOn(worker, at)) return true;
  }
  if (count >= slots + worker.prefetch) return false;
  const taskMs = expectedTaskMs(job);
  if (taskMs === null) return false;
  return expectedMs + taskMs <= settings.prefetchMs * slots;
}

/** How long a task of the job takes, as far as backlogs go by it; null: nobody knows. */
export function expectedTaskMs({
  smoothedTaskMs,
  presumedTaskMs,
}: Pick<JobRecord, 'smoothedTaskMs' | 'presumedTaskMs'>): number | null {
  return smoothedTaskMs ?? presumedTaskMs;
}

/**
 * It has a backlog, and gets on with it: a slot changes hands soon. Of what takes longer than some milliseconds a worker
 * says that it has begun; behind that, what is urgent would wait while another worker may be free before.
 */
function movesOn(worker: WorkerRecord, at: number): boolean {
  const { activeTasks, slots, slotNumbers, lastReportAt } = worker;
  return activeTasks > slots && slotNumbers.taken < slots && at - lastReportAt < mostSilentMs;
}

/** The next step of the ramp, after a completed task. A new connection or a recall sets it back to 0. */
export function grownPrefetch(settings: CoreSettings, worker: WorkerRecord): number {
  const most = settings.maxPrefetch * worker.slots;
  return Math.min(most, Math.max(worker.slots, worker.prefetch * 2));
}
