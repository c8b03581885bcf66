// Backlogs that are asked back: nothing waits, somebody is idle, and somebody else sits on tasks that do not
// move and that the idle one may run.

import { hasFreeSlot, isAvailable, meets } from '../../core/eligibility.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { execute } from '../../core/execute.ts';
import type { JobRecord, WorkerRecord } from '../../core/records.ts';
import type { RecordSnapshot, State } from '../../core/state.ts';

/** When to look again, Infinity when nothing is to be asked back later. */
export function recallBacklogs(
  state: State,
  snapshot: RecordSnapshot,
  { at, note }: { readonly at: number; readonly note: (event: ToldEvent) => void },
): number {
  let recheckAt = Infinity;
  const idle = snapshot.workers.filter(isIdle);
  for (const worker of snapshot.workers) {
    if (worker.activeTasks <= worker.slots || !hasWorkFor(idle, worker)) continue;
    const dueAt = worker.lastReportAt + state.settings.recallAfterMs;
    if (dueAt > at) {
      recheckAt = Math.min(recheckAt, dueAt);
      continue;
    }
    const executed = execute(state, { type: 'recall_attempts', worker, at });
    for (const event of executed.events) note(event);
  }
  return recheckAt;
}

export function isIdle(worker: WorkerRecord): boolean {
  return isAvailable(worker) && hasFreeSlot(worker);
}

/** Something that the worker has not begun may run on one of the idle. */
function hasWorkFor(idle: readonly WorkerRecord[], worker: WorkerRecord): boolean {
  const jobs = new Set<JobRecord>();
  for (const { task, startedAt, recalled } of worker.attempts) {
    if (startedAt === null && !recalled) jobs.add(task.job);
  }
  for (const { spec } of jobs) {
    if (idle.some((one) => meets(one, spec.programKind, spec.requirements))) return true;
  }
  return false;
}
