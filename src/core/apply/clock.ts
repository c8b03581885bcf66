// The clock of the machine was set forward or back. New timestamps follow it, but every wait takes as long
// as before: so deadlines are shifted with the clock, and so are the starting times from which a time that
// still runs is counted. Timestamps of what is over stay.

import type { TaskRecord, WorkerRecord } from '../records.ts';
import type { State } from '../state.ts';

export function applyClockSet(state: State, byMs: number, at: number): void {
  const { deadlines, retention, settings } = state;
  const isHeld = state.expiriesHeldUntil > at - byMs;
  state.expiriesHeldUntil += byMs;
  if (byMs > settings.clockJumpMs) state.expiriesHeldUntil = at + settings.expiryHoldMs;
  const held = Math.max(at, state.expiriesHeldUntil);
  const lookAt = isHeld ? Math.min(retention.at, held) : retention.at;
  deadlines.shift(byMs);
  // Jobs are kept from their end on, and that keeps its stamp.
  if (retention.position >= 0) deadlines.arm(retention, lookAt);
  for (const job of state.jobs.values()) {
    for (const task of job.tasks.values()) shiftTask(task, byMs);
    for (const [worker, pause] of job.refusals) {
      job.refusals.set(worker, { ...pause, until: pause.until + byMs });
    }
  }
  for (const worker of state.workers.values()) shiftWorker(worker, byMs);
}

function shiftTask(task: TaskRecord, byMs: number): void {
  task.waitsSince += byMs;
  if (task.notBefore > 0) task.notBefore += byMs;
  for (const attempt of task.live) {
    attempt.assignedAt += byMs;
    if (attempt.startedAt !== null) attempt.startedAt += byMs;
    if (attempt.missedAt !== null) attempt.missedAt += byMs;
  }
}

function shiftWorker(worker: WorkerRecord, byMs: number): void {
  worker.lastHeartbeatAt += byMs;
  worker.lastSeenAt += byMs;
  worker.lastReportAt += byMs;
  worker.idleSince += byMs;
  if (worker.awaySince !== null) worker.awaySince += byMs;
  if (worker.waitsUntil !== null) worker.waitsUntil += byMs;
  if (worker.rest !== null) {
    const { because, since } = worker.rest;
    worker.rest = { because, since: since + byMs };
  }
  if (worker.draining !== null) {
    const { since, deadline } = worker.draining;
    worker.draining = { since, deadline: deadline === null ? null : deadline + byMs };
  }
  if (worker.unwilling !== null) {
    worker.unwilling = { ...worker.unwilling, until: worker.unwilling.until + byMs };
  }
  if (worker.quarantine === null) return;
  const { until, pauseMs } = worker.quarantine;
  worker.quarantine = { until: until + byMs, pauseMs };
}
