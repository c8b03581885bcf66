// Backlogs that are asked back: nothing waits, somebody is idle, and somebody else sits on tasks that do not
// move and that the idle one may run.

import { isInMatrix, meets } from '../../core/eligibility.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { execute } from '../../core/execute.ts';
import type { JobRecord, WorkerRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';

export interface Imbalance {
  /** Those that can be given something now. */
  readonly idle: readonly WorkerRecord[];
  /** Those that hold more than they have slots. */
  readonly overfull: readonly WorkerRecord[];
}

/** When to look again, Infinity when nothing is to be asked back later. */
export function recallBacklogs(
  state: State,
  { idle, overfull }: Imbalance,
  { at, note }: { readonly at: number; readonly note: (event: ToldEvent) => void },
): number {
  let recheckAt = Infinity;
  for (const worker of overfull) {
    if (!isInMatrix(worker) || !hasWorkFor(idle, worker)) continue;
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

/** Whether one of the idle workers may run something that the worker has not begun. */
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
