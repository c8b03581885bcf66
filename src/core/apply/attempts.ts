import { createAttemptDeadline } from '../create/deadline.ts';
import {
  mayReportLate,
  rememberUntaken,
  untakenWith,
  withdrawnWith,
} from '../create/ended-attempt.ts';
import type { AttemptEnded } from '../events.ts';
import type { AttemptRecord, PastAttempt, RefusalPause } from '../records.ts';
import type { State } from '../state.ts';
import { leaseOf } from '../lease.ts';
import { moveProgress, taskMillionths } from '../task-progress.ts';
import { isFailure } from '../blame.ts';
import { nextUnwilling } from '../refusals.ts';
import { learnFrom } from './learning.ts';
import { endRecovery, openRecovery } from './recoveries.ts';
import { setTaskStatus, touchJob } from './status.ts';

export function applyAttemptStarted(
  state: State,
  attempt: AttemptRecord,
  startedAt: number,
  at: number,
): void {
  const { task } = attempt;
  const { job } = task;
  attempt.startedAt = startedAt;
  attempt.slot = attempt.worker.slotNumbers.take();
  attempt.isAwaited = false;
  expectNaming(state, attempt, at);
  if (attempt.isCopy) task.startedAt ??= startedAt;
  else task.startedAt = startedAt;
  endRecovery(task, at);
  if (task.status === 'assigned') setTaskStatus(task, 'running');
  if (job.startedAt === null) {
    job.startedAt = startedAt;
    touchJob(state, job);
  }
  expectProgress(state, attempt, at);
  const limit = job.spec.attemptTimeoutMs;
  if (limit === null) return;
  attempt.timeout = createAttemptDeadline('attempt_timeout', attempt);
  // A worker ends the attempt by itself at its limit; this deadline is for workers that do not.
  state.deadlines.arm(attempt.timeout, startedAt + limit + state.settings.timeoutSlackMs);
}

export function applyProgress(
  state: State,
  attempt: AttemptRecord,
  progress: number,
  message: string | null,
  at: number,
): void {
  const before = taskMillionths(attempt.task);
  attempt.progress = progress;
  moveProgress(attempt.task, before);
  attempt.progressMessage = message;
  expectNaming(state, attempt, at);
  expectProgress(state, attempt, at);
}

/** The worker has said that it has the attempt. */
export function applyNamed(state: State, attempt: AttemptRecord, at: number): void {
  attempt.missedAt = null;
  attempt.isAwaited = false;
  expectNaming(state, attempt, at);
}

/** An HTTP worker must name the attempt (again) within a lease; a socket tells by itself when it is gone. */
export function expectNaming(state: State, attempt: AttemptRecord, at: number): void {
  const { connection } = attempt.worker;
  if (connection.state === 'connected' && connection.transport === 'http') {
    attempt.naming ??= createAttemptDeadline('naming', attempt);
    state.deadlines.arm(attempt.naming, at + leaseOf(state, attempt.worker));
  } else if (attempt.naming !== null) {
    state.deadlines.disarm(attempt.naming);
  }
}

/** The progress limit of the attempt begins anew. */
function expectProgress(state: State, attempt: AttemptRecord, at: number): void {
  const limit = attempt.task.job.spec.progressTimeoutMs;
  if (limit === null) return;
  attempt.progressTimeout ??= createAttemptDeadline('progress_timeout', attempt);
  state.deadlines.arm(attempt.progressTimeout, at + limit);
}

export function applyAttemptEnded(state: State, event: AttemptEnded): void {
  const { attempt, outcome, charge, at } = event;
  const { task, worker } = attempt;
  const { job } = task;
  unlinkAttempt(state, attempt, at);
  if (task.live.length === 0) {
    openRecovery(state, event);
    setTaskStatus(task, 'pending');
    if (charge === 'error') task.errors++;
    if (charge === 'timeout') task.timeouts++;
    if (charge === 'loss') task.losses++;
  }
  // A worker that refused would refuse again; another one may take the task.
  if (isFailure(outcome) || charge === 'loss' || outcome === 'refused') {
    task.avoid = [...task.avoid.filter((id) => id !== worker.id), worker.id].slice(-8);
  }
  if (event.pause !== null) pauseWorker(state, attempt, event.pause, at);
  const untaken = untakenWith(event);
  if (untaken !== undefined) rememberUntaken(task, untaken);
  else if (outcome !== 'released') task.untaken = [];
  if (isFailure(outcome)) {
    job.refusals.delete(worker);
    worker.unwilling = null;
    worker.totalFailed++;
    worker.busyMs += event.runMs;
    worker.lastReportAt = at;
    learnFrom(state, worker);
  }
  touchJob(state, job);
  if (!mayReportLate(event)) return;
  const past: PastAttempt = {
    attempt: attempt.attempt,
    workerId: worker.id,
    token: attempt.token,
    outcome,
  };
  task.past = [...task.past, past];
}

function pauseWorker(state: State, attempt: AttemptRecord, pause: RefusalPause, at: number): void {
  const { task, worker } = attempt;
  const { refusals } = task.job;
  if (pause.outcome === 'refused') {
    worker.unwilling = nextUnwilling(state.settings, attempt, pause.reason, at);
  }
  refusals.set(worker, pause);
  if (refusals.size <= state.workers.size) return;
  for (const one of refusals.keys()) {
    if (state.workers.get(one.id) !== one) refusals.delete(one);
  }
}

/** The attempt was handed out in the answer to a claim of its worker. */
export function applyDelivered(
  state: State,
  attempt: AttemptRecord,
  sequence: number,
  at: number,
): void {
  attempt.sequence = sequence;
  if (attempt.delivery !== null) state.deadlines.disarm(attempt.delivery);
  expectNaming(state, attempt, at);
}

/** The attempt was never handed out: the next one has the same number, and another token. */
export function applyWithdrawn(state: State, attempt: AttemptRecord, at: number): void {
  const { task } = attempt;
  rememberUntaken(task, withdrawnWith(attempt));
  unlinkAttempt(state, attempt, at);
  task.attempt--;
  if (task.live.length === 0) setTaskStatus(task, 'pending');
  touchJob(state, task.job);
}

const none: readonly never[] = Object.freeze([]);

/** Puts an attempt on its task and its worker. */
export function linkAttempt({ maybeOverfull }: State, attempt: AttemptRecord): void {
  const { task, worker } = attempt;
  const before = taskMillionths(task);
  task.live = task.live.length === 0 ? [attempt] : [...task.live, attempt];
  moveProgress(task, before);
  worker.attempts.add(attempt);
  worker.activeTasks++;
  if (worker.activeTasks > worker.slots) maybeOverfull.add(worker);
  worker.queuedMs += attempt.expectedMs;
  worker.held.add(attempt.priority, attempt.expectedMs);
}

/** Takes an attempt off its task and its worker. */
export function unlinkAttempt(state: State, attempt: AttemptRecord, at: number): void {
  const { task, worker } = attempt;
  const before = taskMillionths(task);
  task.live = task.live.length === 1 ? none : task.live.filter((each) => each !== attempt);
  moveProgress(task, before);
  worker.attempts.delete(attempt);
  if (attempt.slot !== null) worker.slotNumbers.release(attempt.slot);
  worker.activeTasks--;
  worker.held.remove(attempt.priority, attempt.expectedMs);
  worker.queuedMs = worker.activeTasks === 0 ? 0 : worker.queuedMs - attempt.expectedMs;
  if (worker.activeTasks === 0) worker.idleSince = at;
  state.maybeFree.add(worker);
  // When the original is gone, the oldest copy takes its place.
  if (task.live.length > 0) task.live[0]!.isCopy = false;
  if (attempt.timeout !== null) state.deadlines.disarm(attempt.timeout);
  if (attempt.progressTimeout !== null) state.deadlines.disarm(attempt.progressTimeout);
  if (attempt.delivery !== null) state.deadlines.disarm(attempt.delivery);
  if (attempt.naming !== null) state.deadlines.disarm(attempt.naming);
  state.wantsPass = true;
}
