// What must be written for an event: the one place that tells it. A record that an event changes and
// that is not named here is lost with the process, and nothing else shows it.
//
// Only what a row holds counts. Progress, telemetry, connections and deadlines are volatile, and so is
// that an attempt began: after a restart its worker tells it again.

import { isFailure } from '../blame.ts';
import type { AttemptEnded, Event, TaskCompleted } from '../events.ts';
import type { CheckpointRecord, JobRecord, TaskRecord } from '../records.ts';
import { forgetChanges, type Dirty, type State } from '../state.ts';
import { createEndedAttempt } from './attempts.ts';
import { outdatedCheckpoints, recoveryFrom } from './checkpoints.ts';
import { createAdoption, createStraggler } from './recoveries.ts';

/**
 * Every record that the event is about to change or to take away. Asked before the event is applied:
 * afterwards nobody knows any more what a task has waited for.
 */
export function markChanged(state: State, event: Event): void {
  const { dirty } = state;
  switch (event.type) {
    case 'task_completed':
      return markCompleted(state, event);
    case 'task_assigned':
      // The task is marked when it is there, see `markMade`.
      dirty.jobs.add(event.job);
      if (!event.isCopy) markRecovery(dirty, event.job.tasks.get(event.index));
      return;
    case 'attempt_started': {
      const { attempt } = event;
      const { task } = attempt;
      if (task.job.startedAt === null) dirty.jobs.add(task.job);
      markRecovery(dirty, task);
      if (attempt.isAwaited) dirty.recoveries.add(createAdoption(state, event));
      return;
    }
    case 'attempt_ended':
      return markEnded(dirty, event);
    case 'attempt_withdrawn':
      return markTask(dirty, event.attempt.task);
    case 'task_requeued':
      dirty.tasks.add(event.task);
      return;
    case 'task_failed':
      markTask(dirty, event.task);
      return markRecovery(dirty, event.task);
    case 'checkpoint_saved':
      return markDropped(dirty, outdatedCheckpoints(event.attempt.task));
    case 'checkpoint_dropped': {
      markDropped(dirty, [event.checkpoint]);
      const recovery = recoveryFrom(event.checkpoint);
      if (recovery !== null) dirty.recoveries.add(recovery);
      return;
    }
    case 'job_cancelled':
    case 'job_abandoned':
      return markCancelled(dirty, event.job);
    case 'job_retried':
      dirty.jobs.add(event.job);
      for (const index of event.indices) dirty.tasks.add(event.job.tasks.get(index)!);
      return;
    case 'job_finished':
      dirty.jobs.add(event.job);
      return;
    case 'job_deleted':
      dirty.jobs.delete(event.job);
      dirty.deleted.push(event.job);
      return;
    case 'worker_connected':
    case 'worker_drained':
    case 'worker_resumed':
    case 'worker_quarantined':
    case 'worker_released':
      dirty.workers.add(event.worker);
      return;
    case 'worker_deregistered':
      dirty.workers.delete(event.worker);
      dirty.deregistered.push(event.worker);
      return;
    case 'clock_set':
      return markMoments(state);
    case 'scheduler_configured':
      dirty.config = true;
      return;
    case 'database_cleared':
      // All of that belongs to the generation that is gone.
      forgetChanges(dirty);
      dirty.generation = true;
      return;
    // They make a record: see `markMade`.
    case 'job_submitted':
    case 'worker_registered':
      return;
    // They change only what is volatile.
    case 'attempt_delivered':
    case 'attempt_progressed':
    case 'attempt_recalled':
    case 'attempt_missed':
    case 'attempt_named':
    case 'task_due':
    case 'worker_attached':
    case 'worker_slept':
    case 'worker_heard':
    case 'worker_observed':
    case 'worker_disconnected':
    case 'worker_lost':
    case 'worker_left':
    case 'worker_probed':
    case 'lease_renewed':
    case 'silence_excused':
      return;
    default:
      event satisfies never;
  }
}

/** The record that the event has made. Asked once it is applied. */
export function markMade(state: State, event: Event): void {
  const { dirty } = state;
  switch (event.type) {
    case 'task_assigned':
      dirty.tasks.add(event.job.tasks.get(event.index)!);
      return;
    case 'attempt_ended': {
      const { recovery } = event.attempt.task;
      // The task may still carry the recovery of an earlier loss.
      if (recovery?.attempt === event.attempt.attempt) dirty.recoveries.add(recovery);
      return;
    }
    case 'checkpoint_saved': {
      const { attempt, command } = event;
      dirty.checkpoints.push({ record: attempt.task.checkpoints.at(-1)!, state: command.state });
      return;
    }
    case 'job_submitted':
      dirty.jobs.add(state.jobs.get(event.spec.id)!);
      return;
    case 'worker_registered':
      dirty.workers.add(state.workers.get(event.command.workerId)!);
      return;
    default:
  }
}

function markCompleted(state: State, event: TaskCompleted): void {
  const { dirty } = state;
  const { task, worker, overtaken, at } = event;
  const winner = overtaken && task.live.find(({ attempt }) => attempt === event.attempt);
  if (overtaken && winner) dirty.recoveries.add(createStraggler(state, overtaken, winner, at));
  markRecovery(dirty, task);
  markDropped(dirty, task.checkpoints);
  markTask(dirty, task);
  if (worker !== null) dirty.workers.add(worker);
}

function markEnded(dirty: Dirty, event: AttemptEnded): void {
  const { task, worker } = event.attempt;
  const ended = createEndedAttempt(event);
  if (ended !== null) dirty.ended.push(ended);
  markTask(dirty, task);
  if (isFailure(event.outcome)) dirty.workers.add(worker);
}

/** The tasks that are not handed out have come to their end; the others have ended before. */
function markCancelled(dirty: Dirty, job: JobRecord): void {
  dirty.jobs.add(job);
  for (const task of job.tasks.values()) {
    if (task.status !== 'pending') continue;
    dirty.tasks.add(task);
    markDropped(dirty, task.checkpoints);
  }
}

/** Moments to come that are stored: they move with the clock. */
function markMoments({ dirty, jobs, workers }: State): void {
  for (const job of jobs.values()) {
    for (const task of job.tasks.values()) if (task.notBefore > 0) dirty.tasks.add(task);
  }
  for (const worker of workers.values()) if (worker.quarantine !== null) dirty.workers.add(worker);
}

/** The counters of its job move with it. */
function markTask(dirty: Dirty, task: TaskRecord): void {
  dirty.tasks.add(task);
  dirty.jobs.add(task.job);
}

function markRecovery(dirty: Dirty, task: TaskRecord | undefined): void {
  const recovery = task?.recovery ?? null;
  if (recovery !== null) dirty.recoveries.add(recovery);
}

function markDropped(dirty: Dirty, checkpoints: readonly CheckpointRecord[]): void {
  for (const { id } of checkpoints) dirty.droppedStates.push(id);
}
