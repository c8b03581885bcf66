// How many there are of everything, from counters and from what memory holds anyway: nothing is read from
// the store, so that it may be asked every few seconds.

import type { State } from '../../core/state.ts';
import { workerStatus } from '../../core/worker-status.ts';
import { copyTotals } from '../../core/totals.ts';
import type { Census } from '../port/reads.ts';

export function takeCensus(state: State): Omit<Census, 'decisions'> {
  const { counters } = state;
  const open = openTasks(state);
  const { pending, assigned, running } = open;
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
    ...ofWorkers(state),
    totals: copyTotals(state.totals),
  };
}

function openTasks({ jobs }: State): { pending: number; assigned: number; running: number } {
  const sum = { pending: 0, assigned: 0, running: 0 };
  for (const { spec, counts } of jobs.values()) {
    const { assigned, running, completed, failed, cancelled } = counts;
    sum.assigned += assigned;
    sum.running += running;
    sum.pending += spec.taskCount - assigned - running - completed - failed - cancelled;
  }
  return sum;
}

function ofWorkers(state: State): Pick<Census, 'workers' | 'slots' | 'versions'> {
  const workers = { online: 0, busy: 0, draining: 0, quarantined: 0, offline: 0 };
  const versions = new Map<string, number>();
  let slots = 0;
  for (const worker of state.workers.values()) {
    const status = workerStatus(worker);
    workers[status]++;
    if (status !== 'offline') slots += worker.slots;
    const version = worker.version ?? 'unknown';
    versions.set(version, (versions.get(version) ?? 0) + 1);
  }
  return { workers, slots, versions };
}
