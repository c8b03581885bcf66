// How many there are of everything, from counters and from what memory holds anyway: nothing is read from
// the store, so that it may be asked every few seconds.

import { countersOf } from '../../core/owner.ts';
import type { JobRecord } from '../../core/records.ts';
import type { Counters, State } from '../../core/state.ts';
import { workerStatus } from '../../core/worker-status.ts';
import { copyTotals, noTotals } from '../../core/totals.ts';
import type { Census } from '../port/reads.ts';

export function takeCensus(state: State): Omit<Census, 'decisions'> {
  const open = openTasks(state.jobs.values());
  return {
    ...ofJobs(state.counters, open),
    ...ofWorkers(state),
    totals: copyTotals(state.totals),
  };
}

/** Of one owner's jobs, and of all workers. Nobody keeps the past of one owner: it is nothing here. */
export function takeOwnCensus(state: State, owner: string): Census {
  const open = openTasks([...state.jobs.values()].filter(({ spec }) => spec.owner === owner));
  const counters = countersOf(state, owner);
  return {
    ...ofJobs(counters, open),
    ...ofWorkers(state),
    totals: noTotals(),
    decisions: { count: counters.decisions, seconds: 0 },
  };
}

function ofJobs(
  counters: Counters,
  { pending, assigned, running }: OpenTasks,
): Pick<Census, 'jobs' | 'tasks'> {
  const completed = counters.tasksCompleted;
  return {
    jobs: {
      pending: counters.pendingJobs,
      running: counters.runningJobs,
      completed: counters.completedJobs,
      failed: counters.failedJobs,
      cancelled: counters.cancelledJobs,
    },
    tasks: {
      pending,
      assigned,
      running,
      completed,
      failed_or_cancelled: counters.tasks - completed - pending - assigned - running,
    },
  };
}

interface OpenTasks {
  pending: number;
  assigned: number;
  running: number;
}

function openTasks(jobs: Iterable<JobRecord>): OpenTasks {
  const sum = { pending: 0, assigned: 0, running: 0 };
  for (const { spec, counts } of jobs) {
    const { assigned, running, completed, failed, cancelled } = counts;
    sum.assigned += assigned;
    sum.running += running;
    sum.pending += spec.taskCount - assigned - running - completed - failed - cancelled;
  }
  return sum;
}

function ofWorkers(state: State): Pick<Census, 'workers' | 'resting' | 'slots' | 'versions'> {
  const workers = { online: 0, busy: 0, waiting: 0, draining: 0, quarantined: 0, offline: 0 };
  const versions = new Map<string, number>();
  let slots = 0;
  let resting = 0;
  for (const worker of state.workers.values()) {
    const status = workerStatus(worker);
    workers[status]++;
    if (status !== 'offline') {
      slots += worker.slots;
      if (worker.rest !== null) resting++;
    }
    const version = worker.version ?? 'unknown';
    versions.set(version, (versions.get(version) ?? 0) + 1);
  }
  return { workers, resting, slots, versions };
}
