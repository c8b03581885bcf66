// Hands queued attempts to the slots. Batches are small, so that the rest stays recallable, and
// shared out, so that no slot idles beside a full one.
//
// A sandbox process serves one owner, and changing the owner of a slot costs a new process. So a
// slot is handed attempts of the owner that it served last first, even past attempts of others that
// wait longer; and a slot that holds attempts of one owner is handed none of another owner behind
// them. A slot that holds nothing takes the first attempt of the queue.
//
// Bound: attempts that pass a waiting attempt have at most `passedWorkMs` of expected work
// together. When the first attempt of the queue has been passed by so much, nothing passes it any
// more, and the first slot that runs empty takes it. An attempt that is expected to run longer than
// the bound never passes, and none passes one that is more important.

import type { ExecutorTask } from '../executor.ts';
import type { LocalAttempt } from './local-attempt.ts';
import type { MachineTuning } from './port.ts';
import type { Outgoing } from './outgoing.ts';
import type { AttemptQueue } from './queue.ts';
import type { Slot } from './slot.ts';

/** How many attempts of the queue are searched for one of a given owner. */
const lookAhead = 256;
/** Expected work of an attempt whose job was never measured, as a share of `passedWorkMs`. */
const unmeasuredShare = 0.25;

export function handOver(
  queue: AttemptQueue,
  slots: readonly Slot[],
  tuning: MachineTuning,
  out: Outgoing,
): void {
  if (queue.first === null) return;
  const stage: Stage = { queue, tuning, out };
  share(stage, slots, (slot) => nextOfOwner(stage, slot));
  share(stage, slots, (slot) => (slot.handed.size === 0 ? queue.first : null));
}

interface Stage {
  readonly queue: AttemptQueue;
  readonly tuning: MachineTuning;
  readonly out: Outgoing;
}

/** Fills every slot that has room for its next attempt, with an equal share of the queue. */
function share(
  stage: Stage,
  slots: readonly Slot[],
  next: (slot: Slot) => LocalAttempt | null,
): void {
  const { queue, tuning } = stage;
  const hungry = slots.filter((slot) => {
    const attempt = next(slot);
    return attempt !== null && slot.roomFor(attempt.job, tuning) > 0;
  });
  hungry.forEach((slot, i) => {
    const attempt = next(slot);
    if (attempt !== null) fill(stage, slot, attempt, Math.ceil(queue.size / (hungry.length - i)));
  });
}

/** The next attempt of the owner that the slot served last; of any owner if it has served none. */
function nextOfOwner({ queue, tuning }: Stage, { owner }: Slot): LocalAttempt | null {
  const { first } = queue;
  const next = owner === null ? first : findOf(owner, first);
  return next !== null && mayPass(queue, next, tuning) ? next : null;
}

function findOf(owner: string, from: LocalAttempt | null): LocalAttempt | null {
  let attempt = from;
  for (let i = 0; i < lookAhead && attempt !== null; i++) {
    if (attempt.owner === owner) return attempt;
    attempt = attempt.next;
  }
  return null;
}

/**
 * Takes attempts of one owner, from `from` on; attempts of one job that follow each other go
 * together.
 */
function fill(stage: Stage, slot: Slot, from: LocalAttempt, mostOfAll: number): void {
  const { queue, tuning, out } = stage;
  const { owner } = from;
  let left = mostOfAll;
  let next: LocalAttempt | null = from;
  while (left > 0 && next !== null) {
    const { job } = next;
    const count = Math.min(left, slot.roomFor(job, tuning));
    const tasks: ExecutorTask[] = [];
    while (tasks.length < count && next?.job === job && next.owner === owner) {
      const attempt: LocalAttempt = next;
      if (!mayPass(queue, attempt, tuning)) break;
      if (attempt !== queue.first) queue.passedMs += passingMs(attempt, tuning);
      next = attempt.next;
      queue.remove(attempt);
      slot.add(attempt, tuning);
      tasks.push(executorTask(attempt));
    }
    if (tasks.length === 0) return;
    left -= tasks.length;
    out.push({ type: 'run', slot: slot.index, program: job.program, tasks });
    next = findOf(owner, next);
  }
}

/**
 * The first attempt waits longest, so it has been passed by most work: if the bound holds for it,
 * it holds for all others between it and `attempt`. It is the most important one as well.
 */
function mayPass(queue: AttemptQueue, attempt: LocalAttempt, tuning: MachineTuning): boolean {
  const { first } = queue;
  if (first === null || first === attempt) return true;
  if (attempt.priority < first.priority) return false;
  const passedMs = queue.passedMs - first.passedFromMs;
  return passedMs + passingMs(attempt, tuning) <= tuning.passedWorkMs;
}

function passingMs({ job }: LocalAttempt, { passedWorkMs }: MachineTuning): number {
  return job.pace.meanMs ?? passedWorkMs * unmeasuredShare;
}

function executorTask(attempt: LocalAttempt): ExecutorTask {
  return {
    key: attempt.key,
    owner: attempt.owner,
    taskId: attempt.taskId,
    index: attempt.index,
    attempt: attempt.attempt,
    inputJson: attempt.inputJson,
    stateJson: attempt.stateJson,
    progress: attempt.progress ?? 0,
    timeoutMs: attempt.job.timeoutMs,
  };
}
