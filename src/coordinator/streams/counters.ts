// How many there are of everything at this moment, from memory alone: what a `counters` event tells.

import { isFinalJob, pendingCount } from '../../core/job-status.ts';
import { countersOf } from '../../core/owner.ts';
import type { JobRecord } from '../../core/records.ts';
import type { Counters as KeptCounters, State } from '../../core/state.ts';
import { jobProgress } from '../../core/task-progress.ts';
import { workerStatus } from '../../core/worker-status.ts';
import type { Counters } from '../../protocol/counters.ts';
import type { JobRates } from '../rates/job-rates.ts';

/** Jobs that are told of one by one. */
export const mostOpenJobs = 200;

/** Whose jobs: undefined for all. */
export type Scope = string | undefined;

/** The jobs that have not ended, the oldest first, of each scope that is asked for. All in one walk. */
export function openJobsOf(
  { jobs }: State,
  scopes: Iterable<Scope>,
): ReadonlyMap<Scope, readonly JobRecord[]> {
  const found = new Map<Scope, JobRecord[]>();
  for (const scope of scopes) found.set(scope, []);
  const all = found.get(undefined);
  for (const job of jobs.values()) {
    if (isFinalJob(job.status)) continue;
    all?.push(job);
    found.get(job.spec.owner)?.push(job);
  }
  // Nearly in order: only one that was retried stands behind younger ones.
  for (const list of found.values()) list.sort((a, b) => a.spec.key - b.spec.key);
  return found;
}

/** What is the same for every job that is asked about. */
export function sumsOf(
  state: State,
  scope: Scope,
  open: readonly JobRecord[],
): Pick<Counters, 'tasks' | 'jobs'> {
  const counters = scope === undefined ? state.counters : countersOf(state, scope);
  const tasks = { pending: 0, assigned: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
  for (const job of open) {
    const { assigned, running, completed, failed, cancelled } = job.counts;
    tasks.pending += pendingCount(job);
    tasks.assigned += assigned;
    tasks.running += running;
    tasks.completed += completed;
    tasks.failed += failed;
    tasks.cancelled += cancelled;
  }
  return { tasks, jobs: jobsOf(counters) };
}

export function workerSums({ workers: records }: State): Pick<Counters, 'workers' | 'slots'> {
  const workers = { online: 0, busy: 0, offline: 0, waiting: 0, draining: 0, quarantined: 0 };
  const slots = { total: 0, taken: 0 };
  for (const worker of records.values()) {
    const status = workerStatus(worker);
    workers[status]++;
    if (status === 'offline') continue;
    slots.total += worker.slots;
    // Some may wait at the worker for a slot of it.
    slots.taken += Math.min(worker.activeTasks, worker.slots);
  }
  return { workers, slots };
}

/** With a job that one alone, wherever it stands. */
export function openJobEntries(
  open: readonly JobRecord[],
  jobId: string | undefined,
  rates: Pick<JobRates, 'outlookOf'>,
): Pick<Counters, 'open_jobs' | 'open_jobs_left_out'> {
  const jobs =
    jobId === undefined
      ? open.slice(0, mostOpenJobs)
      : open.filter(({ spec }) => spec.id === jobId);
  return {
    open_jobs: jobs.map((job) => {
      const { rate_per_second, eta } = rates.outlookOf(job);
      const { method: _, ...figures } = eta;
      return {
        job_id: job.spec.id,
        counts: { pending: pendingCount(job), ...job.counts },
        progress: jobProgress(job),
        rate_per_second,
        eta: jobId === undefined ? figures : eta,
      };
    }),
    open_jobs_left_out: jobId === undefined ? open.length - jobs.length : 0,
  };
}

function jobsOf(counters: KeptCounters): Counters['jobs'] {
  const { pendingJobs: pending, runningJobs: running } = counters;
  return {
    open: pending + running,
    pending,
    running,
    completed: counters.completedJobs,
    failed: counters.failedJobs,
    cancelled: counters.cancelledJobs,
  };
}
