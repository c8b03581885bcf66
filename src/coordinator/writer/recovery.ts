// Makes the state of the core from what is stored, at the start. Every worker is away until it says hello,
// and assigned attempts count as not started until their workers say otherwise.

import { linkAttempt } from '../../core/apply/attempts.ts';
import { setTaskStatus } from '../../core/apply/status.ts';
import { enqueue } from '../../core/apply/tasks.ts';
import { expectReturn } from '../../core/apply/workers.ts';
import { createAttempt } from '../../core/create/attempt.ts';
import { createRetryDeadline } from '../../core/create/deadline.ts';
import { entryOf, nextIndex } from '../../core/entries.ts';
import type { JobRecord, Quarantine, TaskRecord, WorkerRecord } from '../../core/records.ts';
import { leaseOf } from '../../core/lease.ts';
import { ownCounters } from '../../core/owner.ts';
import type { CoreSettings } from '../../core/settings.ts';
import {
  type Counters,
  createState,
  defaultSchedulerConfig,
  emptyCounters,
  type State,
} from '../../core/state.ts';
import { copyTotals } from '../../core/totals.ts';
import type {
  JobCounters,
  LiveAttemptRow,
  StoredState,
  StoredTask,
  TaskRow,
} from '../../store/rows.ts';
import { restoreJob, restoreRecovery, restoreTask, restoreWorker } from './restore.ts';

/** Before that, nobody is forgotten after a restart. */
const leastReturnMs = 3_600_000;

/** `now` is when the coordinator is back: from then on workers have their grace to return. */
export function restoreState(stored: StoredState, settings: CoreSettings, now: number): State {
  const { lastCommitAt } = stored;
  const config = stored.config ?? { ...defaultSchedulerConfig, updatedAt: now };
  const restart =
    lastCommitAt === null
      ? null
      : { lastAliveAt: lastCommitAt, downMs: Math.max(0, now - lastCommitAt) };
  // The clock may have been set back meanwhile: no pause lasts longer because of that.
  const setBackMs = lastCommitAt === null ? 0 : Math.max(0, lastCommitAt - now);
  const state = createState(settings, config, restart);
  if (restart !== null && restart.downMs > settings.clockJumpMs) {
    state.expiriesHeldUntil = now + settings.expiryHoldMs;
  }
  // Stored at the first start, so that `updated_at` of a configuration that nobody set stays the same.
  state.dirty.config = stored.config === null;
  state.generation = stored.generation;
  state.queue.setOrder(state.config.algorithm === 'priority' ? 'priority' : 'submission');
  restoreCounters(state, stored);
  Object.assign(state.totals, copyTotals(stored.totals));
  for (const row of stored.workers) {
    const worker = restoreWorker(row);
    state.workers.set(worker.id, worker);
    if (worker.quarantine !== null) {
      worker.quarantine = shortened(worker.quarantine, now, setBackMs);
      state.deadlines.arm(worker.probe, worker.quarantine.until);
      if (setBackMs > 0) state.dirty.workers.add(worker);
    }
    restoreDrain(state, worker, setBackMs);
    restoreWaiting(state, worker, setBackMs);
  }
  state.mostWorkers = state.workers.size;
  const byKey = new Map<number, JobRecord>();
  for (const row of stored.jobs) {
    const job = restoreJob(row);
    state.counters.openTasks += job.openTasks;
    const own = ownCounters(state, job.spec);
    if (own !== undefined) own.openTasks += job.openTasks;
    state.jobs.set(row.spec.id, job);
    byKey.set(row.spec.key, job);
  }
  for (const task of stored.tasks) {
    const job = byKey.get(task.row.jobKey);
    if (job !== undefined) restoreOpenTask(state, job, task, now, setBackMs);
  }
  for (const row of stored.recoveries) {
    const task = byKey.get(row.jobKey)?.tasks.get(row.index);
    if (task !== undefined) task.recovery = restoreRecovery(task, row);
  }
  state.nextRecoveryId = stored.nextRecoveryId;
  state.nextCheckpointId = stored.nextCheckpointId;
  state.nextNotificationId = stored.nextNotificationId;
  for (const job of byKey.values()) {
    for (const entry of job.entries) if (nextIndex(entry) !== Infinity) enqueue(state, entry);
  }
  // What has ended is not in memory: somebody must look how long it is kept.
  state.deadlines.arm(state.retention, now);
  for (const worker of state.workers.values()) {
    if (worker.attempts.size === 0) {
      awaitWorker(state, worker, now);
      continue;
    }
    worker.connection = { state: 'grace' };
    worker.awaySince = null;
    state.deadlines.arm(worker.grace, now + returnMs(state, worker));
  }
  return state;
}

/** A deadline that came while nobody was here is handled at once. */
function restoreDrain(state: State, worker: WorkerRecord, setBackMs: number): void {
  const { draining } = worker;
  if (draining === null || draining.deadline === null) return;
  const deadline = draining.deadline - setBackMs;
  worker.draining = { ...draining, deadline };
  state.deadlines.arm(worker.drain, deadline);
  if (setBackMs > 0) state.dirty.workers.add(worker);
}

/** The same for one that waits to be let in. */
function restoreWaiting(state: State, worker: WorkerRecord, setBackMs: number): void {
  if (worker.waitsUntil === null) return;
  worker.waitsUntil -= setBackMs;
  state.deadlines.arm(worker.admission, worker.waitsUntil);
  if (setBackMs > 0) state.dirty.workers.add(worker);
}

/** One that was there is away from now on; one that was away could not come while nobody was here. */
function awaitWorker(state: State, worker: WorkerRecord, now: number): void {
  const { awaySince } = worker;
  if (awaySince === null) state.dirty.workers.add(worker);
  expectReturn(state, worker, awaySince ?? now, now + leastReturnMs);
}

/**
 * How long a worker may take to come back after a restart. Workers try ever less often while nobody
 * answers, so they get at least a lease, which is longer than their longest pause.
 */
function returnMs(state: State, worker: WorkerRecord): number {
  return Math.max(state.settings.graceMs, leaseOf(state, worker));
}

function restoreOpenTask(
  state: State,
  job: JobRecord,
  stored: StoredTask,
  now: number,
  setBackMs: number,
): void {
  const task = restoreTask(job, stored);
  job.tasks.set(task.index, task);
  if (stored.row.status === 'assigned') restoreAttempts(state, task, stored.row, setBackMs);
  if (task.live.length > 0) {
    setTaskStatus(task, 'assigned');
    return;
  }
  // When the clock was set back, pauses are shortened by as much, and stored so.
  if (setBackMs > 0 && task.notBefore > 0) state.dirty.tasks.add(task);
  const longestMs = Math.max(state.settings.maxRetryDelayMs, job.spec.retryDelayMs);
  task.notBefore = Math.min(task.notBefore - setBackMs, now + longestMs);
  if (task.notBefore > now) {
    task.retry = createRetryDeadline(task);
    state.deadlines.arm(task.retry, task.notBefore);
  } else {
    task.notBefore = 0;
    task.waitsSince = now;
    entryOf(job, task.index)!.due.push(task.index);
  }
}

/** The newest attempt is in the row of its task; the others, with speculation, beside it. */
function restoreAttempts(state: State, task: TaskRecord, row: TaskRow, setBackMs: number): void {
  const { attempt, workerId, token, assignedAt, runBeforeMs, others } = row;
  const newest = { attempt, workerId: workerId ?? '', token: token ?? '', assignedAt, runBeforeMs };
  for (const live of token === null ? others : [...others, newest]) {
    const worker = state.workers.get(live.workerId);
    const since = (live.assignedAt ?? 0) - setBackMs;
    if (worker !== undefined) restoreAttempt(state, task, worker, { ...live, assignedAt: since });
  }
}

function restoreAttempt(
  state: State,
  task: TaskRecord,
  worker: WorkerRecord,
  live: LiveAttemptRow,
): void {
  const resumedFrom = task.checkpoints.findLast((kept) => kept.attempt < live.attempt) ?? null;
  task.startedAt = null;
  const { attempt, token, assignedAt } = live;
  const isCopy = task.live.length > 0;
  const runBeforeMs = live.runBeforeMs ?? resumedFrom?.runMs ?? 0;
  const given = { task, attempt, worker, token, assignedAt, isCopy, resumedFrom, runBeforeMs };
  const priority = state.queue.order === 'priority' ? entryOf(task.job, task.index)!.priority : 0;
  const restored = createAttempt({ ...given, isAwaited: true, expectedMs: 0, priority });
  restored.checkpoints =
    task.checkpoints.findLast((kept) => kept.attempt === attempt)?.sequence ?? 0;
  linkAttempt(state, restored);
}

function shortened({ until, pauseMs }: Quarantine, now: number, setBackMs: number): Quarantine {
  return { until: Math.min(until - setBackMs, now + pauseMs), pauseMs };
}

function restoreCounters(state: State, stored: StoredState): void {
  Object.assign(state.counters, countersOfRows({ ...stored.counters, storedBytes: 0 }));
  for (const [owner, counters] of stored.ownerCounters) {
    state.counters.storedBytes += counters.storedBytes;
    state.ownerCounters.set(owner, { ...emptyCounters(), ...countersOfRows(counters) });
  }
}

function countersOfRows(
  counted: JobCounters,
): Omit<Counters, 'openTasks' | 'decisions' | 'decisionsBy'> {
  return {
    jobs: counted.total,
    pendingJobs: counted.pending,
    runningJobs: counted.running,
    completedJobs: counted.completed,
    failedJobs: counted.failed,
    cancelledJobs: counted.cancelled,
    tasks: counted.tasks,
    tasksCompleted: counted.tasksCompleted,
    storedBytes: counted.storedBytes,
  };
}
