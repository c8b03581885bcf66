// Stragglers: attempts that take far longer than others of their job. When no task waits and a worker is
// idle, it gets a copy of the attempt that gains most by it. The first result counts (`decideComplete`);
// the work of the other attempts is counted as wasted.

import { mayTakeCopy } from '../../core/eligibility.ts';
import type { AttemptRecord, JobRecord, WorkerRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';

/** How many times the usual run time an attempt must take before a copy is considered. */
const patience = 1.5;
/** A copy must be expected to end within this share of the time that the attempt still takes. */
const worthwhile = 0.8;
/** Only so many of the latest attempts are considered: each costs a scan of all workers. */
const mostConsidered = 8;

export interface Straggler {
  readonly attempt: AttemptRecord;
  /** How long it will still take where it is. */
  readonly leftMs: number;
}

/** The attempts with the most time left, the longest first. */
export function findStragglers(state: State, at: number): readonly Straggler[] {
  const late: Straggler[] = [];
  for (const job of state.jobs.values()) {
    if (!mayHaveCopies(job)) continue;
    for (const attempt of runningOriginals(job)) {
      const leftMs = expectedLeftMs(state, attempt, at);
      if (leftMs > 0) late.push({ attempt, leftMs });
    }
  }
  return late.sort((a, b) => b.leftMs - a.leftMs).slice(0, mostConsidered);
}

/** The time that a copy on the worker would save; 0 when that is too little. */
export function gainMs({ attempt, leftMs }: Straggler, worker: WorkerRecord): number {
  const copyMs = expectedCopyMs(attempt, worker);
  return copyMs <= worthwhile * leftMs ? leftMs - copyMs : 0;
}

/** Whether an attempt may become a straggler while nothing else happens. */
export function hasCandidates(state: State): boolean {
  for (const job of state.jobs.values()) {
    if (!mayHaveCopies(job)) continue;
    for (const _attempt of runningOriginals(job)) return true;
  }
  return false;
}

function mayHaveCopies({ spec, tasks, smoothedTaskMs, heldAt }: JobRecord): boolean {
  const { speculation } = spec;
  // Before the first completed task nobody knows what is long.
  if (speculation === null || smoothedTaskMs === null || heldAt !== null) return false;
  let live = 0;
  let copies = 0;
  for (const task of tasks.values()) {
    for (const attempt of task.live) {
      live++;
      if (attempt.isCopy) copies++;
    }
  }
  return live > 0 && copies < Math.max(1, Math.floor(speculation.maxShare * live));
}

function* runningOriginals({ tasks, spec }: JobRecord): Generator<AttemptRecord> {
  for (const { live } of tasks.values()) {
    if (live.length > (spec.speculation?.maxCopies ?? 0)) continue;
    for (const attempt of live) {
      if (!attempt.isCopy && attempt.startedAt !== null) yield attempt;
    }
  }
}

/**
 * How long the attempt will still take where it is: by its progress, or, when it tells none, as long
 * again as it has taken. 0 when it is no straggler yet.
 */
function expectedLeftMs(state: State, attempt: AttemptRecord, at: number): number {
  const { task, startedAt, progress, resumedFrom } = attempt;
  const ranMs = at - (startedAt ?? at);
  const usualMs = task.job.smoothedTaskMs ?? 0;
  const before = resumedFrom?.progress ?? 0;
  const done = progress - before;
  const leftMs = done > 0.01 ? (ranMs * (1 - progress)) / done : ranMs;
  const isLate = ranMs + leftMs > patience * usualMs * (1 - before) && ranMs > usualMs / 2;
  return ranMs >= state.settings.speculateAfterMs && isLate ? leftMs : 0;
}

/** How long a copy would take on the worker, from the newest checkpoint on. */
function expectedCopyMs({ task }: AttemptRecord, worker: WorkerRecord): number {
  const usualMs = Math.max(task.job.smoothedTaskMs ?? 0, 1);
  // The worker's mean includes other jobs, so it counts only where it is slower.
  const wholeMs = Math.max(usualMs, Math.min(worker.smoothedTaskMs ?? 0, usualMs * 4));
  return wholeMs * (1 - (task.checkpoints.at(-1)?.progress ?? 0));
}

/** Whether the worker may take the copy, and the task has not failed or been refused there. */
export function isTaker(worker: WorkerRecord, { task }: AttemptRecord, at: number): boolean {
  return !task.avoid.includes(worker.id) && mayTakeCopy(worker, task, at);
}
