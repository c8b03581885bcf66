// The part of the core's memory that must survive a crash, in a form that can be compared. What is
// volatile is left out: connections, telemetry, `started`, progress, smoothed run times of jobs, and
// whether the pause before a retry is over.
//
// The law: after `load()`, this is what it was at the newest commit.

import { pendingCount } from '../../core/job-status.ts';
import type { JobRecord, TaskRecord, WorkerRecord } from '../../core/records.ts';
import type { Counters, State } from '../../core/state.ts';
import { copyTotals } from '../../core/totals.ts';

export function durableView(state: State): unknown {
  return {
    generation: state.generation,
    config: state.config,
    counters: countersView(state.counters),
    ownerCounters: [...state.ownerCounters]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([owner, counters]) => [owner, countersView(counters)]),
    totals: copyTotals(state.totals),
    jobs: [...state.jobs.values()]
      .filter((job) => job.completedAt === null)
      .sort((a, b) => a.spec.key - b.spec.key)
      .map(jobView),
    workers: [...state.workers.values()].sort((a, b) => a.key - b.key).map(workerView),
  };
}

function countersView(counters: Counters): unknown {
  const { decisions: _, decisionsBy: __, ...durable } = counters;
  return durable;
}

function jobView(job: JobRecord): unknown {
  const { counts, spec } = job;
  return {
    id: spec.id,
    key: spec.key,
    owner: spec.owner,
    status: job.status,
    pending: pendingCount(job),
    // `running` is volatile: a row says `assigned`.
    live: counts.assigned + counts.running,
    completed: counts.completed,
    failed: counts.failed,
    cancelled: counts.cancelled,
    startedAt: job.startedAt,
    heldAt: job.heldAt,
    error: job.error,
    cursors: job.entries.map((entry) => entry.cursor),
    tasks: [...job.tasks.values()]
      .filter((task) => task.live.length > 0 || task.status === 'pending')
      .sort((a, b) => a.index - b.index)
      .map(taskView),
  };
}

function taskView(task: TaskRecord): unknown {
  const live = [...task.live].sort((a, b) => a.attempt - b.attempt);
  return {
    index: task.index,
    attempt: task.attempt,
    live: live.map(({ attempt, worker, token }) => [attempt, worker.id, token]),
    checkpoints: task.checkpoints.map(({ id, sha256 }) => [id, sha256]),
    errors: task.errors,
    losses: task.losses,
    timeouts: task.timeouts,
    avoid: task.avoid,
    past: task.past
      .toSorted((a, b) => a.attempt - b.attempt)
      .map((past) => [past.attempt, past.workerId, past.token, past.outcome]),
  };
}

function workerView(worker: WorkerRecord): unknown {
  return {
    id: worker.id,
    key: worker.key,
    tokenHash: worker.tokenHash,
    // The deadline is left out for the same reason as `until` below.
    draining: worker.draining !== null,
    leaseMs: worker.leaseMs,
    leaseNowMs: worker.leaseNowMs,
    taskMemoryMb: worker.taskMemoryMb,
    name: worker.name,
    givenName: worker.givenName,
    joined: worker.joined,
    waits: worker.waitsUntil !== null,
    // `until` is left out: it moves when the clock was set back over a restart.
    quarantineMs: worker.quarantine?.pauseMs ?? null,
    totalCompleted: worker.totalCompleted,
    totalFailed: worker.totalFailed,
    busyMs: worker.busyMs,
    smoothedTaskMs: worker.smoothedTaskMs,
    energyJoules: worker.energyJoules,
    active: worker.activeTasks,
  };
}
