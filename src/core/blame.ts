// Whose fault was it? A task that failed on one worker and succeeded on another was not to blame.

import type { AttemptOutcome, TaskRecord, WorkerRecord } from './records.ts';
import type { State } from './state.ts';

const nobody: ReadonlySet<WorkerRecord> = new Set();

/** The attempt ended by an error or a time-out; not by the loss of its worker, nor by an order. */
export function isFailure(outcome: AttemptOutcome): boolean {
  return outcome === 'failed' || outcome === 'timed_out';
}

/** Registered workers, beside the winner, whose attempts of the task ended by an error or too late. */
export function blamed(
  state: State,
  task: TaskRecord,
  winner: WorkerRecord,
): ReadonlySet<WorkerRecord> {
  // The usual case, and this runs at every completion.
  if (task.past.length === 0) return nobody;
  const workers = new Set<WorkerRecord>();
  for (const { workerId, outcome } of task.past) {
    if (!isFailure(outcome)) continue;
    const worker = state.workers.get(workerId);
    if (worker !== undefined && worker !== winner) workers.add(worker);
  }
  return workers;
}
