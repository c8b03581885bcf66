// From what is stored back to what the core knows. Volatile things are not there: every worker is
// away until it says hello, and everything assigned counts as not started until it says so.

import { createJobRecord } from '../../core/apply/jobs.ts';
import { enqueue, freshTask } from '../../core/apply/tasks.ts';
import { createWorkerRecord, unmeasured } from '../../core/apply/workers.ts';
import {
  entryOf,
  nextIndex,
  type AttemptRecord,
  type CheckpointRecord,
  type JobRecord,
  type Quarantine,
  type RecoveryRecord,
  type TaskRecord,
  type WorkerRecord,
} from '../../core/records.ts';
import { leaseOf } from '../../core/lease.ts';
import type { CoreSettings } from '../../core/settings.ts';
import { createState, defaultSchedulerConfig, type State } from '../../core/state.ts';
import type {
  CheckpointRow,
  JobRow,
  LiveAttemptRow,
  RecoveryRow,
  StoredState,
  StoredTask,
  TaskRow,
  WorkerRow,
} from '../../store/rows.ts';

/** `now` is when the coordinator is back: from then on workers have their grace to return. */
export function restoreState(stored: StoredState, settings: CoreSettings, now: number): State {
  const { lastCommitAt } = stored;
  const config = stored.config ?? { ...defaultSchedulerConfig, updatedAt: now };
  const restart =
    lastCommitAt === null
      ? null
      : { lastAliveAt: lastCommitAt, downMs: Math.max(0, now - lastCommitAt) };
  // Set back meanwhile: no pause lasts longer for it.
  const setBackMs = lastCommitAt === null ? 0 : Math.max(0, lastCommitAt - now);
  const state = createState(settings, config, restart);
  // So that `updated_at` of a configuration that nobody set stays what it was at the first start.
  state.dirty.config = stored.config === null;
  state.generation = stored.generation;
  state.queue.setOrder(state.config.algorithm === 'priority' ? 'priority' : 'submission');
  restoreCounters(state, stored);
  for (const row of stored.workers) {
    const worker = restoreWorker(row, now, setBackMs);
    state.workers.set(worker.id, worker);
    if (worker.quarantine !== null) {
      state.deadlines.arm(worker.probe, worker.quarantine.until);
      if (setBackMs > 0) state.dirty.workers.add(worker);
    }
  }
  const byKey = new Map<number, JobRecord>();
  for (const row of stored.jobs) {
    const job = restoreJob(row);
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
  for (const job of byKey.values()) {
    for (const entry of job.entries) if (nextIndex(entry) !== Infinity) enqueue(state, entry);
  }
  for (const worker of state.workers.values()) {
    if (worker.attempts.size === 0) continue;
    worker.connection = { state: 'grace' };
    state.deadlines.arm(worker.grace, now + returnMs(state, worker));
  }
  return state;
}

/**
 * After a restart workers come back when their next try is due, and tries grow rare while nobody
 * answers: they get the time of a silent worker, which is longer than their longest pause.
 */
function returnMs(state: State, worker: WorkerRecord): number {
  return Math.max(state.settings.graceMs, leaseOf(state, worker));
}

export function restoreJob(row: JobRow): JobRecord {
  const job = createJobRecord(row.spec);
  job.entries.forEach((entry, i) => {
    entry.cursor = row.cursors[i] ?? 0;
  });
  job.counts.completed = row.completed;
  job.counts.failed = row.failed;
  job.counts.cancelled = row.cancelled;
  job.status = row.status;
  job.startedAt = row.startedAt;
  job.completedAt = row.completedAt;
  job.cancelledAt = row.cancelledAt;
  job.error = row.error;
  return job;
}

/** A record of a stored task, without live attempts. */
export function restoreTask(job: JobRecord, stored: StoredTask): TaskRecord {
  const { row, past, checkpoints } = stored;
  const task = freshTask(job, row.index);
  // Assigned rows become live in `restoreOpenTask` only.
  task.status = row.status === 'assigned' ? 'pending' : row.status;
  task.attempt = row.attempt;
  task.past = past;
  task.checkpoints = checkpoints.map((kept) => restoreCheckpoint(task, kept));
  task.errors = row.errors;
  task.losses = row.losses;
  task.timeouts = row.timeouts;
  task.notBefore = row.notBefore;
  task.avoid = row.avoid;
  task.workerId = row.workerId;
  task.assignedAt = row.assignedAt;
  task.startedAt = row.startedAt;
  task.completedAt = row.completedAt;
  task.runMs = row.runMs;
  if (row.acceptedAttempt !== null && row.token !== null) {
    task.accepted = { attempt: row.acceptedAttempt, token: row.token };
  }
  if (row.errorType !== null) {
    task.error = { type: row.errorType, message: row.errorMessage ?? '' };
  }
  return task;
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
  if (stored.row.status === 'assigned') holdAttempts(state, task, stored.row, setBackMs);
  if (task.live.length > 0) {
    task.status = 'assigned';
    job.counts.assigned++;
    return;
  }
  // A pause is there to let trouble pass, and time has passed for it too.
  if (setBackMs > 0 && task.notBefore > 0) state.dirty.tasks.add(task);
  const longestMs = Math.max(state.settings.maxRetryDelayMs, job.spec.retryDelayMs);
  task.notBefore = Math.min(task.notBefore - setBackMs, now + longestMs);
  if (task.notBefore > now) {
    task.retry = { kind: 'retry', task, at: 0, position: -1 };
    state.deadlines.arm(task.retry, task.notBefore);
  } else {
    task.notBefore = 0;
    task.waitsSince = now;
    entryOf(job, task.index)!.due.push(task.index);
  }
}

/** The newest attempt is in the row of its task; the others, with speculation, beside it. */
function holdAttempts(state: State, task: TaskRecord, row: TaskRow, setBackMs: number): void {
  const { attempt, workerId, token, assignedAt, runBeforeMs, others } = row;
  const newest = { attempt, workerId: workerId ?? '', token: token ?? '', assignedAt, runBeforeMs };
  for (const live of token === null ? others : [...others, newest]) {
    const worker = state.workers.get(live.workerId);
    const since = (live.assignedAt ?? 0) - setBackMs;
    if (worker !== undefined) holdAttempt(task, worker, { ...live, assignedAt: since });
  }
}

function holdAttempt(task: TaskRecord, worker: WorkerRecord, live: LiveAttemptRow): void {
  const resumedFrom = task.checkpoints.findLast((kept) => kept.attempt < live.attempt) ?? null;
  const attempt: AttemptRecord = {
    task,
    attempt: live.attempt,
    worker,
    token: live.token,
    assignedAt: live.assignedAt,
    isAwaited: true,
    isCopy: task.live.length > 0,
    resumedFrom,
    runBeforeMs: live.runBeforeMs ?? resumedFrom?.runMs ?? 0,
    sequence: 0,
    startedAt: null,
    progress: 0,
    progressMessage: null,
    missed: 0,
    recalled: false,
    expectedMs: 0,
    timeout: null,
    silence: null,
    delivery: null,
    naming: null,
  };
  task.startedAt = null;
  task.live.push(attempt);
  worker.attempts.add(attempt);
  worker.activeTasks++;
}

function restoreCheckpoint(task: TaskRecord, row: CheckpointRow): CheckpointRecord {
  const { jobKey: _key, jobId: _id, index: _index, ...rest } = row;
  return { ...rest, task };
}

function restoreWorker(row: WorkerRow, now: number, setBackMs: number): WorkerRecord {
  const { name, type, platform, slots, kinds, labels, isolation, leaseMs } = row;
  const worker = createWorkerRecord({
    workerId: row.id,
    key: row.key,
    generation: row.generation,
    tokenHash: row.tokenHash,
    description: { name, type, platform, slots, kinds, labels, isolation, leaseMs },
    measured: unmeasured,
    telemetryJson: '{}',
    at: row.registeredAt,
  });
  worker.draining = row.draining;
  worker.quarantine = row.quarantine && shortened(row.quarantine, now, setBackMs);
  worker.totalCompleted = row.totalCompleted;
  worker.totalFailed = row.totalFailed;
  worker.busyMs = row.busyMs;
  worker.smoothedTaskMs = row.smoothedTaskMs;
  worker.energyJoules = row.energyJoules;
  worker.observed = {
    ...worker.observed,
    completed: row.totalCompleted,
    failed: row.totalFailed,
    busySeconds: row.busyMs / 1000,
    smoothedTaskMs: row.smoothedTaskMs,
    energyJoules: row.energyJoules > 0 ? row.energyJoules : null,
  };
  return worker;
}

function shortened({ until, pauseMs }: Quarantine, now: number, setBackMs: number): Quarantine {
  return { until: Math.min(until - setBackMs, now + pauseMs), pauseMs };
}

function restoreCounters(state: State, stored: StoredState): void {
  const { counters } = stored;
  state.counters.jobs = counters.total;
  state.counters.pendingJobs = counters.pending;
  state.counters.runningJobs = counters.running;
  state.counters.completedJobs = counters.completed;
  state.counters.failedJobs = counters.failed;
  state.counters.cancelledJobs = counters.cancelled;
  state.counters.tasks = counters.tasks;
  state.counters.tasksCompleted = counters.tasksCompleted;
}

function restoreRecovery(task: TaskRecord, row: RecoveryRow): RecoveryRecord {
  const { jobKey: _key, jobId: _id, index: _index, ...rest } = row;
  return { ...rest, task };
}
