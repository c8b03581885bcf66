import type { TaskCompleted, Event } from '../events.ts';
import { createAttempt } from '../create/attempt.ts';
import { createAttemptDeadline, createRetryDeadline } from '../create/deadline.ts';
import { accountOf } from '../create/ended-attempt.ts';
import { createTask } from '../create/task.ts';
import { grownPrefetch } from '../prefetch.ts';
import { entryOf, freshIndex, nextIndex } from '../entries.ts';
import type { AcceptedAccount, EntryRecord, TaskRecord } from '../records.ts';
import { leaseOf } from '../lease.ts';
import { ownCounters } from '../owner.ts';
import type { Counters, State } from '../state.ts';
import { blamed } from '../blame.ts';
import { linkAttempt, unlinkAttempt } from './attempts.ts';
import { learnFrom } from './learning.ts';
import { continueRecovery, endRecovery } from './recoveries.ts';
import { countStored, setTaskStatus, touchJob } from './status.ts';

/** Weight of the newest run time in the smoothed ones. */
const smoothing = 0.2;

export function applyTaskAssigned(
  state: State,
  event: Extract<Event, { type: 'task_assigned' }>,
): void {
  const { job, index, worker, at } = event;
  const entry = entryOf(job, index)!;
  const task = job.tasks.get(index) ?? createTask(job, index);
  task.attempt = event.attempt;
  task.workerId = worker.id;
  if (!event.isCopy) {
    if (index === freshIndex(entry)) entry.cursor++;
    else if (index === entry.due.first) entry.due.pop();
    else entry.due.remove(index);
    job.tasks.set(index, task);
    task.assignedAt = at;
    task.startedAt = null;
    setTaskStatus(task, 'assigned');
  }
  const resumedFrom = task.checkpoints.at(-1) ?? null;
  const attempt = createAttempt({
    task,
    attempt: event.attempt,
    worker,
    token: event.token,
    assignedAt: at,
    isAwaited: false,
    isCopy: event.isCopy,
    resumedFrom,
    runBeforeMs: resumedFrom?.runMs ?? 0,
    expectedMs: event.expectedMs,
    priority: state.queue.order === 'priority' ? entry.priority : 0,
  });
  if (worker.connection.state === 'connected' && worker.connection.transport === 'http') {
    attempt.delivery = createAttemptDeadline('delivery', attempt);
    state.deadlines.arm(attempt.delivery, at + leaseOf(state, worker));
  }
  if (!event.isCopy) continueRecovery(attempt);
  linkAttempt(state, attempt);
  worker.assignedSinceHeartbeat++;
  countDecision(state.counters, state);
  const own = ownCounters(state, job.spec);
  if (own !== undefined) countDecision(own, state);
  if (entry.queued && nextIndex(entry) === Infinity) state.queue.remove(entry);
  touchJob(state, job);
}

function countDecision(counters: Counters, { config }: State): void {
  counters.decisions++;
  const { decisionsBy } = counters;
  decisionsBy[config.algorithm] = (decisionsBy[config.algorithm] ?? 0) + 1;
}

export function applyTaskCompleted(state: State, event: TaskCompleted): void {
  const { task, worker, startedAt, runMs, at } = event;
  const { job } = task;
  const { finished } = event;
  if (finished !== null) {
    // Nobody said that it had begun.
    finished.slot ??= finished.worker.slotNumbers.take();
    unlinkAttempt(state, finished, at);
  }
  if (task.status === 'pending') dequeue(state, task);
  endRecovery(task, at);
  task.checkpoints = [];
  setTaskStatus(task, 'completed');
  task.accepted = { attempt: event.attempt, token: event.token, account: acceptedAccount(event) };
  task.resultJson = event.resultJson;
  // A copy was assigned at another time than the original.
  if (finished !== null) task.assignedAt = finished.assignedAt;
  task.startedAt = startedAt;
  task.completedAt = at;
  task.runMs = runMs;
  task.error = null;
  job.startedAt ??= startedAt;
  job.smoothedTaskMs = smooth(job.smoothedTaskMs, runMs);
  state.counters.tasksCompleted++;
  const own = ownCounters(state, job.spec);
  if (own !== undefined) own.tasksCompleted++;
  countStored(state, job, event.resultJson.length);
  touchJob(state, job);
  task.workerId = event.workerId;
  if (worker === null) return;
  for (const other of blamed(state, task, worker)) other.blames++;
  worker.blames = 0;
  job.refusals.delete(worker);
  worker.unwilling = null;
  worker.totalCompleted++;
  worker.busyMs += runMs;
  worker.smoothedTaskMs = smooth(worker.smoothedTaskMs, runMs);
  worker.energyJoules += event.energyJoules ?? 0;
  learnFrom(state, worker);
  // Once per timestamp: a frame with a hundred results is one step of the ramp.
  if (worker.lastReportAt !== at) worker.prefetch = grownPrefetch(state.settings, worker);
  worker.lastReportAt = at;
}

/** Of an attempt that was late, the row of its end has the rest. */
function acceptedAccount({ finished, energyJoules }: TaskCompleted): AcceptedAccount {
  if (finished === null) return { energyJoules, checkpoints: 0, resumedFrom: null };
  return { energyJoules, ...accountOf(finished) };
}

export function applyTaskRequeued(
  state: State,
  task: TaskRecord,
  notBefore: number,
  at: number,
): void {
  task.notBefore = notBefore;
  if (notBefore > at) {
    task.retry ??= createRetryDeadline(task);
    state.deadlines.arm(task.retry, notBefore);
  } else {
    makeDue(state, task, at);
  }
}

export function applyTaskDue(state: State, task: TaskRecord, at: number): void {
  if (task.retry !== null) state.deadlines.disarm(task.retry);
  makeDue(state, task, at);
}

export function applyTaskFailed(
  state: State,
  { task, attempt, error, at }: Extract<Event, { type: 'task_failed' }>,
): void {
  if (task.recovery !== null) task.recovery.outcome = 'failed';
  setTaskStatus(task, 'failed');
  task.error = error;
  task.completedAt = at;
  const { job } = task;
  job.startedAt ??= task.startedAt ?? at;
  job.error ??= `Task ${task.index} failed at attempt ${attempt}: ${error.type}: ${error.message}`;
  touchJob(state, job);
}

/** The task may be assigned (again) from now on. */
export function makeDue(state: State, task: TaskRecord, at: number): void {
  const entry = entryOf(task.job, task.index)!;
  task.notBefore = 0;
  task.waitsSince = at;
  entry.due.push(task.index);
  enqueue(state, entry);
}

/** Entries of a job that is held stay out of the queue. */
export function enqueue(state: State, entry: EntryRecord): void {
  if (entry.job.heldAt !== null) return;
  if (!entry.queued) state.queue.add(entry);
  state.wantsPass = true;
}

/** Takes a pending task out of the queue: it needs no further attempt. */
export function dequeue(state: State, task: TaskRecord): void {
  if (task.retry !== null) state.deadlines.disarm(task.retry);
  const entry = entryOf(task.job, task.index)!;
  entry.due.remove(task.index);
  if (entry.queued && nextIndex(entry) === Infinity) state.queue.remove(entry);
}

function smooth(before: number | null, newest: number): number {
  return before === null ? newest : before + smoothing * (newest - before);
}
