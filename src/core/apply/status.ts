// States and the counters beside them move together, here only.

import { deriveJobStatus } from '../job-status.ts';
import type { JobRecord, TaskRecord, TaskStatus } from '../records.ts';
import type { State } from '../state.ts';

/** Moves the task and the job's counters together. */
export function setTaskStatus(task: TaskRecord, status: TaskStatus): void {
  const { counts } = task.job;
  if (task.status !== 'pending') counts[task.status]--;
  if (status !== 'pending') counts[status]++;
  task.status = status;
}

/** Derives the job's status anew; the totals move with it. */
export function touchJob(state: State, job: JobRecord): void {
  const status = deriveJobStatus(job);
  if (status === job.status) return;
  state.counters[`${job.status}Jobs`]--;
  state.counters[`${status}Jobs`]++;
  job.status = status;
}
