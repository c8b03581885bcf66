// Who runs next: queued attempts go to the slots in batches that are small enough for the rest to
// stay recallable, and shared out so that no slot idles beside a full one.
//
// A process serves one owner; to change it costs a new one. So a slot is handed attempts of the owner
// that it served last before those of others, past what waits longer, and one that holds attempts of an
// owner is handed no other's behind them. A slot that holds nothing takes whatever comes next.
//
// Bound: whatever its place in the queue, an attempt is passed by at most `passedWorkMs` of expected
// work. When the first one has been passed by so much, nothing passes it any more: the slots run empty,
// and the first that does takes it. Attempts that run longer than that never pass.

import type { ExecutorTask } from '../executor.ts';
import type { LocalAttempt } from './attempt.ts';
import type { MachineTuning } from './inputs.ts';
import type { Outgoing } from './outgoing.ts';
import type { AttemptQueue } from './queue.ts';
import type { Slot } from './slot.ts';

/** So far from the head attempts of an owner are looked for. */
const lookAhead = 256;
/** An attempt of a job that was never measured counts as a quarter of what may pass. */
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

/** Fills the slots that have room for what they would take next, each with its share of the queue. */
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

/** Of the owner that the slot served last; of anybody for one that has served nobody. */
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

/** One batch for each run of attempts of the same job, all of one owner, from the attempt given on. */
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
 * The first one waits longest, and so is the one that was passed by most: what it bears, all others
 * between it and the attempt bear too.
 */
function mayPass(queue: AttemptQueue, attempt: LocalAttempt, tuning: MachineTuning): boolean {
  const { first } = queue;
  if (first === null || first === attempt) return true;
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
