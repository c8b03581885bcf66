import { isFinalJob } from '../job-status.ts';
import { createJob } from '../create/job.ts';
import type { Event } from '../events.ts';
import { nextIndex } from '../entries.ts';
import { forgetIdleOwner, ownCounters } from '../owner.ts';
import type { JobRecord, JobSpec } from '../records.ts';
import type { Counters, State } from '../state.ts';
import { expectExpiry } from './retention.ts';
import { countStored, setTaskStatus, touchJob } from './status.ts';
import { enqueue, makeDue } from './tasks.ts';

export function applyJobSubmitted(
  state: State,
  { spec, storedBytes = 0, presumedTaskMs }: Extract<Event, { readonly type: 'job_submitted' }>,
): void {
  const job = createJob(spec, presumedTaskMs);
  state.jobs.set(spec.id, job);
  countSubmitted(state.counters, spec);
  const own = ownCounters(state, spec);
  if (own !== undefined) countSubmitted(own, spec);
  countStored(state, job, storedBytes);
  if (spec.hold) job.heldAt = spec.createdAt;
  for (const entry of job.entries) enqueue(state, entry);
}

function countSubmitted(counters: Counters, { taskCount }: JobSpec): void {
  counters.jobs++;
  counters.pendingJobs++;
  counters.tasks += taskCount;
  counters.openTasks += taskCount;
}

/** Its entries leave the queue: no pass looks at them until they are back. */
export function applyJobHeld(state: State, job: JobRecord, at: number): void {
  job.heldAt = at;
  for (const entry of job.entries) if (entry.queued) state.queue.remove(entry);
}

export function applyJobReleased(state: State, job: JobRecord): void {
  job.heldAt = null;
  for (const entry of job.entries) if (nextIndex(entry) !== Infinity) enqueue(state, entry);
}

/** Cancels every task that is not final; the live attempts of the job have been ended before. */
export function applyJobCancelled(state: State, job: JobRecord, at: number): void {
  for (const task of job.tasks.values()) {
    if (task.status !== 'pending') continue;
    if (task.retry !== null) state.deadlines.disarm(task.retry);
    setTaskStatus(task, 'cancelled');
    task.checkpoints = [];
    task.completedAt = at;
  }
  // Tasks without a record are counted too: the store derives their status from the job's, final now.
  job.counts.cancelled = job.spec.taskCount - job.counts.completed - job.counts.failed;
  for (const entry of job.entries) {
    entry.due.clear();
    if (entry.queued) state.queue.remove(entry);
  }
  touchJob(state, job);
}

/** Failed tasks, and those cancelled with the job, wait again; budgets begin anew. */
export function applyJobRetried(
  state: State,
  { job, indices, at }: Extract<Event, { type: 'job_retried' }>,
): void {
  job.cancelledAt = null;
  job.completedAt = null;
  job.error = null;
  job.counts.cancelled = 0;
  job.counts.failed = 0;
  for (const index of indices) {
    const task = job.tasks.get(index)!;
    task.status = 'pending';
    task.errors = 0;
    task.losses = 0;
    task.timeouts = 0;
    task.avoid = [];
    task.error = null;
    task.completedAt = null;
    // A task with a record lies behind the cursor; those ahead of it are queued by the cursor itself.
    makeDue(state, task, at);
  }
  for (const entry of job.entries) {
    if (nextIndex(entry) !== Infinity) enqueue(state, entry);
  }
  touchJob(state, job);
}

/** Removes the job from memory; the commit removes it from the store. */
export function applyJobDeleted(state: State, job: JobRecord): void {
  const { spec } = job;
  state.jobs.delete(spec.id);
  countDeleted(state.counters, job);
  const own = ownCounters(state, spec);
  if (own === undefined) return;
  countDeleted(own, job);
  forgetIdleOwner(state, spec);
}

function countDeleted(counters: Counters, job: JobRecord): void {
  counters.jobs--;
  counters[`${job.status}Jobs`]--;
  counters.tasks -= job.spec.taskCount;
  counters.tasksCompleted -= job.counts.completed;
  counters.storedBytes -= job.storedBytes;
}

export function applyJobFinished(state: State, job: JobRecord, at: number): void {
  job.completedAt = at;
  job.heldAt = null;
  expectExpiry(state, job, at);
}

export function needsFinish(job: JobRecord): boolean {
  return job.completedAt === null && isFinalJob(job.status);
}
