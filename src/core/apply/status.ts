// States and the counters beside them move together, here only.

import { deriveJobStatus, openTaskCount } from '../job-status.ts';
import { ownCounters } from '../owner.ts';
import type { JobRecord, TaskRecord, TaskStatus } from '../records.ts';
import type { State } from '../state.ts';

/** Moves the task and the job's counters together. */
export function setTaskStatus(task: TaskRecord, status: TaskStatus): void {
  const { counts } = task.job;
  if (task.status !== 'pending') counts[task.status]--;
  if (status !== 'pending') counts[status]++;
  task.status = status;
}

/** Derives the job's status and its open tasks anew; the totals move with them. */
export function touchJob(state: State, job: JobRecord): void {
  countOpenTasks(state, job);
  const status = deriveJobStatus(job);
  if (status === job.status) return;
  const own = ownCounters(state, job.spec);
  for (const counters of own === undefined ? [state.counters] : [state.counters, own]) {
    counters[`${job.status}Jobs`]--;
    counters[`${status}Jobs`]++;
  }
  job.status = status;
}

function countOpenTasks(state: State, job: JobRecord): void {
  const open = openTaskCount(job);
  if (open === job.openTasks) return;
  const more = open - job.openTasks;
  state.counters.openTasks += more;
  const own = ownCounters(state, job.spec);
  if (own !== undefined) own.openTasks += more;
  job.openTasks = open;
}

/** The job keeps so much more. What the admin keeps is nobody's quota, and not counted. */
export function countStored(state: State, job: JobRecord, bytes: number): void {
  const own = ownCounters(state, job.spec);
  if (own === undefined) return;
  job.storedBytes += bytes;
  own.storedBytes += bytes;
  state.counters.storedBytes += bytes;
}
