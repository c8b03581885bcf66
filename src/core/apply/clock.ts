// The clock of the machine was set. Stamps follow it from now on; what is waited for takes as long as
// before. So every moment to come moves along, and every moment from which something that goes on is
// counted. What is over keeps its stamps.

import type { TaskRecord, WorkerRecord } from '../records.ts';
import type { State } from '../state.ts';

export function applyClockSet(state: State, byMs: number): void {
  state.deadlines.shift(byMs);
  for (const job of state.jobs.values()) {
    for (const task of job.tasks.values()) shiftTask(task, byMs);
  }
  for (const worker of state.workers.values()) shiftWorker(worker, byMs);
}

function shiftTask(task: TaskRecord, byMs: number): void {
  task.waitsSince += byMs;
  if (task.notBefore > 0) task.notBefore += byMs;
  for (const attempt of task.live) {
    attempt.assignedAt += byMs;
    if (attempt.startedAt !== null) attempt.startedAt += byMs;
  }
}

function shiftWorker(worker: WorkerRecord, byMs: number): void {
  worker.lastHeartbeatAt += byMs;
  worker.lastSeenAt += byMs;
  worker.lastReportAt += byMs;
  worker.idleSince += byMs;
  if (worker.quarantine === null) return;
  const { until, pauseMs } = worker.quarantine;
  worker.quarantine = { until: until + byMs, pauseMs };
}
