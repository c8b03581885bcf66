// What must hold between any two commands, checked in every test and after every step of a
// simulation. Throws a bug that names the broken invariant and tells the story of the task. What
// needs two moments to compare (legal moves, attempts that only rise) is in `task-moves.ts`; what is
// derived from the records and kept beside them is in `indexes.ts`.

import { deriveJobStatus, isFinalJob, pendingCount } from '../job-status.ts';
import { entryOf, entrySize, nextIndex } from '../entries.ts';
import type {
  AttemptRecord,
  EntryRecord,
  JobRecord,
  TaskRecord,
  WorkerRecord,
} from '../records.ts';
import type { State } from '../state.ts';
import { taskMillionths } from '../task-progress.ts';
import { assert } from './assert.ts';
import {
  checkCounters,
  checkDeadlines,
  checkMatrixRows,
  checkQueue,
  checkRoom,
  isHeap,
} from './indexes.ts';

/** Sums of the same floating-point numbers in different orders differ by less than this. */
const tolerance = 1e-6;

/** Costs a walk over everything in memory; `deep: false` leaves out queue, heaps and fresh tasks. */
export function checkInvariants(state: State, { deep = true }: { deep?: boolean } = {}): void {
  let live = 0;
  for (const job of state.jobs.values()) {
    checkJob(job, deep);
    for (const task of job.tasks.values()) {
      checkTask(state, task);
      live += task.live.length;
    }
  }
  let held = 0;
  for (const worker of state.workers.values()) {
    checkWorker(state, worker);
    held += worker.attempts.size;
  }
  // Every live attempt was found with its worker, so equal numbers mean equal sets.
  assert(live === held, () => `tasks have ${live} live attempts, workers ${held}`);
  checkMatrixRows(state);
  checkRoom(state);
  checkCounters(state);
  if (!deep) return;
  checkQueue(state);
  checkDeadlines(state);
}

function checkJob(job: JobRecord, deep: boolean): void {
  const { spec, counts, status } = job;
  const name = `job ${spec.id}`;
  const held = { pending: 0, assigned: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
  for (const task of job.tasks.values()) held[task.status]++;
  for (const each of ['assigned', 'running'] as const) {
    assert(
      held[each] === counts[each],
      () => `${name} counts ${counts[each]} ${each}, has ${held[each]}`,
    );
  }
  // Final tasks leave memory after their commit.
  for (const each of ['completed', 'failed', 'cancelled'] as const) {
    assert(
      held[each] <= counts[each],
      () => `${name} counts ${counts[each]} ${each}, has ${held[each]}`,
    );
  }
  const pending = pendingCount(job);
  assert(pending >= 0, () => `${name} counts ${pending} pending`);
  const derived = deriveJobStatus(job);
  assert(status === derived, () => `${name} is ${status}, its tasks say ${derived}`);
  const hasEnd = job.completedAt !== null;
  assert(
    isFinalJob(status) === hasEnd,
    () => `${name} is ${status}, ended ${hasEnd ? '' : 'not '}at a time`,
  );
  if (isFinalJob(status)) {
    assert(pending + held.pending === 0, () => `${name} is ${status} and has pending tasks`);
  } else {
    const fresh = job.entries.reduce((sum, entry) => sum + entrySize(entry) - entry.cursor, 0);
    assert(
      pending === fresh + held.pending,
      () =>
        `${name} counts ${pending} pending, has ${fresh} fresh and ${held.pending} waiting again`,
    );
  }
  assert(job.heldAt === null || !hasEnd, () => `${name} has ended and is held`);
  for (const entry of job.entries) checkEntry(entry, deep);
  const progressed = [...job.tasks.values()].reduce((sum, task) => sum + taskMillionths(task), 0);
  assert(
    progressed === job.liveMillionths,
    () => `${name} counts ${job.liveMillionths} millionths of progress, has ${progressed}`,
  );
  const waiting = [...job.tasks.values()].filter(isWaiting).length;
  const due = job.entries.reduce((sum, entry) => sum + entry.due.size, 0);
  assert(due === waiting, () => `${name} has ${due} due, ${waiting} that wait for a worker`);
}

function isWaiting(task: TaskRecord): boolean {
  return task.status === 'pending' && task.notBefore === 0;
}

function checkEntry(entry: EntryRecord, deep: boolean): void {
  const { job, cursor, due, queued } = entry;
  const name = `the entry of job ${job.spec.id} with priority ${entry.priority}`;
  assert(cursor >= 0 && cursor <= entrySize(entry), () => `${name} has its cursor at ${cursor}`);
  const mayStart = !isFinalJob(job.status) && job.heldAt === null;
  const hasWork = mayStart && nextIndex(entry) !== Infinity;
  assert(
    queued === hasWork,
    () => `${name} is ${queued ? '' : 'not '}queued and has ${hasWork ? '' : 'no '}work`,
  );
  if (!deep) return;
  const seen = new Set<number>();
  for (const index of due.values()) {
    const task = job.tasks.get(index);
    assert(!seen.has(index), () => `index ${index} is due twice`, task);
    const mayRun = task?.status === 'pending' && task.notBefore === 0;
    assert(mayRun, () => `index ${index} is due and may not be assigned now`, task);
    assert(entryOf(job, index) === entry, () => `index ${index} is due in the wrong entry`, task);
    seen.add(index);
  }
  assert(
    isHeap(due.values(), (index) => index),
    () => `${name} has its due tasks out of order`,
  );
}

function checkTask(state: State, task: TaskRecord): void {
  const { job, index, status, live } = task;
  const that = (holds: boolean, what: string | (() => string)) => assert(holds, what, task);
  that(job.tasks.get(index) === task, 'the task is not the one its job knows by the index');
  const most = 1 + (job.spec.speculation?.maxCopies ?? 0);
  that(live.length <= most, () => `the task has ${live.length} live attempts`);
  const originals = live.filter((attempt) => !attempt.isCopy).length;
  that(originals === Math.min(1, live.length), () => `${originals} live attempts are no copies`);
  const isLive = status === 'assigned' || status === 'running';
  that(isLive === live.length > 0, () => `the task is ${status} with ${live.length} live attempts`);
  const hasStarted = live.some((attempt) => attempt.startedAt !== null);
  // A task stays `running` when the attempt that ran is gone and its copy has not begun.
  const isRunning = hasStarted || (task.attempt > 1 && task.startedAt !== null);
  that(
    !isLive || (status === 'running' ? isRunning : !hasStarted),
    () => `the task is ${status}, which it is not`,
  );
  that(task.checkpoints.length <= 2, () => `${task.checkpoints.length} checkpoints are kept`);
  const isOver = status === 'completed' || status === 'cancelled';
  that(!isOver || task.checkpoints.length === 0, 'it is over, and its checkpoints are kept');
  for (const { attempt } of task.checkpoints) {
    that(attempt <= task.attempt, 'a checkpoint is of an attempt that was never made');
  }
  for (const attempt of live) checkAttempt(state, task, attempt);
  for (const past of task.past) {
    that(past.attempt <= task.attempt, () => `attempt ${past.attempt} ended and was never made`);
    that(
      live.every((one) => one.attempt !== past.attempt),
      'an ended attempt is live',
    );
  }
  that(
    (status === 'completed') === (task.accepted !== null),
    () => `${status} with a wrong acceptance`,
  );
  const isArmed = task.retry !== null && task.retry.position >= 0;
  const waits = status === 'pending' && task.notBefore > 0;
  that(isArmed === waits, () => `the deadline of the retry is ${isArmed ? '' : 'not '}armed`);
  if (isArmed) that(task.retry?.at === task.notBefore, 'the retry is armed for another moment');
  const entry = entryOf(job, index);
  that(entry !== undefined, 'the task belongs to no entry');
  if (entry === undefined || isFinalJob(job.status)) return;
  that(isBeforeCursor(entry, index), 'the task has a record and lies behind the cursor');
}

function checkAttempt(state: State, task: TaskRecord, attempt: AttemptRecord): void {
  const { worker, startedAt, timeout } = attempt;
  const that = (holds: boolean, what: string | (() => string)) => assert(holds, what, task);
  that(attempt.task === task, 'a live attempt belongs to another task');
  const { speculation } = task.job.spec;
  that(
    attempt.attempt === task.attempt || speculation !== null,
    () => `attempt ${attempt.attempt} is live and not the newest`,
  );
  that(attempt.attempt <= task.attempt, () => `attempt ${attempt.attempt} was never made`);
  that(
    state.workers.get(worker.id) === worker,
    () => `worker ${worker.id} is gone and has the task`,
  );
  that(worker.attempts.has(attempt), () => `worker ${worker.id} does not have the attempt`);
  const isTimed = startedAt !== null && task.job.spec.attemptTimeoutMs !== null;
  const isArmed = timeout !== null && timeout.position >= 0;
  that(isArmed === isTimed, () => `the time limit is ${isArmed ? '' : 'not '}armed`);
  const isAwaited = attempt.delivery !== null && attempt.delivery.position >= 0;
  that(
    !isAwaited || attempt.sequence === 0,
    'it was handed out, and the time of its delivery runs',
  );
  const isToBeNamed = attempt.naming !== null && attempt.naming.position >= 0;
  const { connection } = worker;
  const isHttp = connection.state === 'connected' && connection.transport === 'http';
  that(!isHttp || isAwaited || isToBeNamed, 'it is neither to be handed out nor to be named');
}

function checkShares({ id, attempts, held }: WorkerRecord, priorities: ReadonlySet<number>): void {
  // Of some of them: there may be as many as attempts.
  for (const lowest of [-Infinity, ...[...priorities].slice(0, 3)]) {
    const share = held.from(lowest);
    const those = [...attempts].filter(({ priority }) => priority >= lowest);
    const name = `worker ${id} from priority ${lowest} on`;
    assert(
      share.count === those.length,
      () => `${name} counts ${share.count}, has ${those.length}`,
    );
    const expectedMs = those.reduce((sum, attempt) => sum + attempt.expectedMs, 0);
    const isSum = Math.abs(share.expectedMs - expectedMs) <= tolerance * (1 + expectedMs);
    assert(isSum, () => `${name} counts ${share.expectedMs} ms of work, has ${expectedMs}`);
  }
}

function checkWorker(state: State, worker: WorkerRecord): void {
  const { attempts, activeTasks, queuedMs, connection, lease, grace, probe } = worker;
  const name = `worker ${worker.id}`;
  let expectedMs = 0;
  const slots = new Set<number>();
  const priorities = new Set<number>();
  for (const attempt of attempts) {
    const { task, slot } = attempt;
    const hasSlot = attempt.startedAt === null ? slot === null : slot !== null && !slots.has(slot);
    assert(hasSlot, () => `${name} runs an attempt with the number ${slot}`, task);
    if (slot !== null) slots.add(slot);
    assert(attempt.worker === worker, () => `${name} has an attempt of ${attempt.worker.id}`, task);
    assert(task.live.includes(attempt), () => `${name} has an attempt that has ended`, task);
    const isKnown = state.jobs.get(task.job.spec.id)?.tasks.get(task.index) === task;
    assert(isKnown, () => `${name} has a task that memory does not hold`, task);
    expectedMs += attempt.expectedMs;
    priorities.add(attempt.priority);
  }
  checkShares(worker, priorities);
  assert(
    activeTasks === attempts.size,
    () => `${name} counts ${activeTasks}, has ${attempts.size}`,
  );
  assert(queuedMs >= -tolerance, () => `${name} has ${queuedMs} ms of queued work`);
  const isSum = Math.abs(queuedMs - expectedMs) <= tolerance * (1 + expectedMs);
  assert(isSum, () => `${name} counts ${queuedMs} ms of queued work, has ${expectedMs}`);
  const { state: reach } = connection;
  assert(reach !== 'offline' || attempts.size === 0, () => `${name} is offline and has attempts`);
  assert(lease.position >= 0 === (reach === 'connected'), () => `${name} is ${reach}: wrong lease`);
  assert(
    probe.position < 0 || worker.quarantine !== null,
    () => `${name} waits for a probe and is not in quarantine`,
  );
  const hasTime = worker.drain.position >= 0;
  assert(
    !hasTime || worker.draining?.deadline === worker.drain.at,
    () => `${name} has a deadline, and drains ${JSON.stringify(worker.draining)}`,
  );
  assert(
    (worker.waitsUntil !== null) === worker.admission.position >= 0,
    () => `${name} waits until ${worker.waitsUntil}: wrong deadline`,
  );
  assert(
    worker.waitsUntil === null || attempts.size === 0,
    () => `${name} has attempts, and nobody has let it in`,
  );
  assert(grace.position >= 0 === (reach === 'grace'), () => `${name} is ${reach}: wrong grace`);
  const isAway = worker.awaySince !== null;
  assert(isAway === (reach === 'offline'), () => `${name} is ${reach}, away ${isAway}`);
  assert(isAway || worker.away.position < 0, () => `${name} is ${reach}, and to be forgotten`);
  assert(
    worker.generation === state.generation,
    () => `${name} is of generation ${worker.generation}`,
  );
}

function isBeforeCursor(entry: EntryRecord, index: number): boolean {
  const { indices, cursor } = entry;
  if (indices === null) return index < cursor;
  return cursor > 0 && index <= indices[cursor - 1]!;
}
