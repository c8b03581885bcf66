// The legal moves of tasks, jobs and workers from one command to the next, as drawn in
// `docs/reference/states.md`, and a checker that watches for others. Within one command a record may
// pass through several states (a task that runs is revoked, then cancelled); only the ends count.

import { isFinalJob, pendingCount } from '../job-status.ts';
import type { JobRecord, JobStatus, TaskRecord, TaskStatus } from '../records.ts';
import type { State } from '../state.ts';
import { isFinalTask } from '../task-status.ts';
import { broken } from './story.ts';
import { workerStatus, type WorkerStatus } from '../worker-status.ts';

type Moves<S extends string> = Readonly<Record<S, readonly S[]>>;

export const taskMoves: Moves<TaskStatus> = {
  pending: ['assigned', 'completed', 'cancelled'],
  assigned: ['pending', 'running', 'completed', 'failed', 'cancelled'],
  running: ['pending', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: ['pending'],
  cancelled: ['pending'],
};

export const jobMoves: Moves<JobStatus> = {
  pending: ['running', 'completed', 'cancelled'],
  running: ['pending', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: ['running'],
  cancelled: ['running'],
};

export const workerMoves: Moves<WorkerStatus> = {
  offline: ['online', 'waiting', 'draining', 'quarantined'],
  online: ['busy', 'offline', 'draining', 'quarantined'],
  busy: ['online', 'offline', 'draining', 'quarantined'],
  waiting: ['online', 'offline', 'draining'],
  draining: ['online', 'busy', 'offline'],
  quarantined: ['online', 'busy', 'offline', 'draining'],
};

/**
 * Compares every state with the one it was given before; call it after every command. Remembers
 * tasks that have left memory, so one life of a coordinator needs one checker: a restart forgets
 * what was volatile or not yet committed.
 */
export function createMoveChecker(): (state: State) => void {
  const jobs = new Map<string, SeenJob>();
  const workers = new Map<string, WorkerStatus>();
  let generation: number | undefined;
  return (state) => {
    if (state.generation !== generation) {
      jobs.clear();
      workers.clear();
      generation = state.generation;
    }
    for (const job of state.jobs.values()) watchJob(jobs, job);
    for (const worker of state.workers.values()) {
      const status = workerStatus(worker);
      const before = workers.get(worker.id) ?? status;
      if (before !== status && !workerMoves[before].includes(status)) {
        throw broken(`worker ${worker.id} moved from ${before} to ${status}`);
      }
      workers.set(worker.id, status);
    }
  };
}

interface SeenJob {
  status: JobStatus;
  failed: number;
  readonly tasks: Map<number, SeenTask>;
}

interface SeenTask {
  status: TaskStatus;
  attempt: number;
}

function watchJob(jobs: Map<string, SeenJob>, job: JobRecord): void {
  let seen = jobs.get(job.spec.id);
  if (seen === undefined) {
    seen = { status: job.status, failed: job.counts.failed, tasks: new Map() };
    jobs.set(job.spec.id, seen);
  }
  const isRetried = hasBeenRetried(job, seen);
  const { status } = seen;
  if (status !== job.status) {
    const isLegal = jobMoves[status].includes(job.status) && (isRetried || !isFinalJob(status));
    if (!isLegal) throw broken(`job ${job.spec.id} moved from ${status} to ${job.status}`);
  }
  seen.status = job.status;
  seen.failed = job.counts.failed;
  for (const task of job.tasks.values()) watchTask(seen.tasks, task, isRetried);
}

/** Nothing but a retry brings the number of failed tasks back to zero. */
function hasBeenRetried(job: JobRecord, seen: SeenJob): boolean {
  return seen.failed > 0 && job.counts.failed === 0 && pendingCount(job) > 0;
}

function watchTask(seenTasks: Map<number, SeenTask>, task: TaskRecord, isRetried: boolean): void {
  const { index, status, attempt } = task;
  const before = seenTasks.get(index);
  if (before === undefined) {
    seenTasks.set(index, { status, attempt });
    return;
  }
  // An attempt that was withdrawn gives its number back.
  const isWithdrawn = before.status === 'assigned' && status === 'pending';
  if (attempt < before.attempt - (isWithdrawn ? 1 : 0)) {
    throw broken(`the attempt number fell from ${before.attempt} to ${attempt}`, task);
  }
  if (before.status !== status) {
    const isLegal =
      taskMoves[before.status].includes(status) && (isRetried || !isFinalTask(before.status));
    if (!isLegal) throw broken(`the task moved from ${before.status} to ${status}`, task);
  }
  before.status = status;
  before.attempt = attempt;
}
