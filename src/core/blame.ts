// Whose fault was it? A task that failed on one worker and succeeded on another was not to blame.

import type { TaskRecord, WorkerRecord } from './records.ts';
import type { State } from './state.ts';

/** Registered workers, beside the winner, whose attempts of the task ended by an error or too late. */
export function blamed(
  state: State,
  task: TaskRecord,
  winner: WorkerRecord,
): ReadonlySet<WorkerRecord> {
  const workers = new Set<WorkerRecord>();
  for (const { workerId, outcome } of task.past) {
    if (outcome !== 'failed' && outcome !== 'timed_out') continue;
    const worker = state.workers.get(workerId);
    if (worker !== undefined && worker !== winner) workers.add(worker);
  }
  return workers;
}
