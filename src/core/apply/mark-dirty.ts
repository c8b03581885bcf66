// Which records must be written for an event; no other file says so. A change that is not marked here
// is lost with the process, and nothing else would show it.
//
// Only what a row holds counts. Progress, telemetry, connections and deadlines are volatile, and so is
// the start of an attempt: after a restart the worker reports it again.

import { isFailure } from '../blame.ts';
import type { AttemptEnded, Event, TaskCompleted } from '../events.ts';
import type { CheckpointRecord, JobRecord, TaskRecord } from '../records.ts';
import { forgetChanges, type Dirty, type State } from '../state.ts';
import { createEndedAttempt, createWithdrawnAttempt } from '../create/ended-attempt.ts';
import { outdatedCheckpoints, recoveryFrom } from './checkpoints.ts';
import { createAdoption, createStraggler } from './recoveries.ts';

/**
 * Marks every record that the event is about to change or to remove. Called before the event is
 * applied: afterwards a task no longer refers to, for example, the recovery that the event ends.
 */
export function markChanged(state: State, event: Event): void {
  const { dirty } = state;
  switch (event.type) {
    case 'task_completed':
      return markCompleted(state, event);
    case 'task_assigned':
      // The task may not exist yet: `markMade` marks it.
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
      dirty.ended.push(createWithdrawnAttempt(event.attempt, event.at));
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
    case 'job_held':
    case 'job_released':
    case 'job_finished':
      dirty.jobs.add(event.job);
      return;
    case 'job_deleted':
      dirty.jobs.delete(event.job);
      dirty.deleted.push(event.job);
      return;
    case 'worker_connected':
    case 'worker_lost':
    case 'worker_left':
    case 'worker_drained':
    case 'worker_resumed':
    case 'worker_approved':
    case 'worker_renamed':
    case 'worker_lease_changed':
    case 'worker_quarantined':
    case 'worker_released':
      dirty.workers.add(event.worker);
      return;
    case 'worker_attached':
      if (event.worker.awaySince !== null) dirty.workers.add(event.worker);
      return;
    case 'worker_deregistered':
      dirty.workers.delete(event.worker);
      dirty.deregistered.push({ worker: event.worker, mayReturn: mayReturn[event.because] });
      return;
    case 'notification_owed':
    case 'notification_tried':
      dirty.notifications.set(event.notification.id, event.notification);
      return;
    case 'clock_set':
      return markMoments(state);
    case 'scheduler_configured':
      dirty.config = true;
      return;
    case 'database_cleared':
      // Everything that was marked belongs to the generation that is gone.
      forgetChanges(dirty);
      dirty.generation = true;
      return;
    // These events make a record: see `markMade`.
    case 'job_submitted':
    case 'worker_registered':
      return;
    // These events change only what is volatile.
    case 'attempt_delivered':
    case 'attempt_progressed':
    case 'attempt_recalled':
    case 'attempt_missed':
    case 'attempt_named':
    case 'task_due':
    case 'drain_ended':
    case 'worker_slept':
    case 'worker_heard':
    case 'worker_observed':
    case 'worker_rest_changed':
    case 'worker_disconnected':
    case 'worker_probed':
    case 'lease_renewed':
    case 'silence_excused':
    case 'retention_due':
    case 'retention_planned':
      return;
    default:
      event satisfies never;
  }
}

/** Marks the record that the event has made. Called after the event is applied. */
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

/** Pending tasks end with the job; the others have been marked by the end of their attempts. */
function markCancelled(dirty: Dirty, job: JobRecord): void {
  dirty.jobs.add(job);
  for (const task of job.tasks.values()) {
    if (task.status !== 'pending') continue;
    dirty.tasks.add(task);
    markDropped(dirty, task.checkpoints);
  }
}

/** Stored times in the future are shifted with the clock. */
function markMoments({ dirty, jobs, workers }: State): void {
  for (const job of jobs.values()) {
    for (const task of job.tasks.values()) if (task.notBefore > 0) dirty.tasks.add(task);
  }
  for (const worker of workers.values()) {
    const { quarantine, awaySince, draining, waitsUntil } = worker;
    const moments = [quarantine, awaySince, draining, waitsUntil];
    if (moments.some((moment) => moment !== null)) dirty.workers.add(worker);
  }
}

/** The row of the job holds counters of its tasks, so the job is marked too. */
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

/** Of whom an operator has decided, that one stays away. */
const mayReturn = { asked: false, refused: false, away: true, unanswered: true } as const;
