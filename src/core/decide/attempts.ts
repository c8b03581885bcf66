// The fences: what a worker says of an attempt counts only if number, token and worker match.
//
// - live: the attempt holds its task; everything it says counts.
// - lost: its lease ended without a report; its result still counts while the task is not final.
// - failed: it reported its end; the same report again is acknowledged without effect.
// - anything else is stale (there was such an attempt) or not yours (there was none).

import type {
  NamedAttempt,
  Command,
  CompleteAttempt,
  FailAttempt,
  ReleaseAttempt,
  ProgressAttempt,
  SaveCheckpoint,
  StartAttempt,
} from '../commands.ts';
import type { Event } from '../events.ts';
import { isFinalJob } from '../job-status.ts';
import { isFresh } from '../entries.ts';
import type { AttemptRecord, PastAttempt, TaskRecord } from '../records.ts';
import { nextPause } from '../refusals.ts';
import { reject } from '../rejection.ts';
import { findLive, type State } from '../state.ts';
import type { Decision } from './decision.ts';
import { handOver, handsOver } from './hand-over.ts';
import { endAttempt, failOrRequeue } from './outcome.ts';
import { assessWorkers } from './quarantine.ts';

const nothing: Decision = { events: [] };

export function decideStart(state: State, command: StartAttempt): Decision {
  const found = checkFence(state, command);
  if (found.type !== 'live') return refuse(found);
  if (found.attempt.startedAt !== null) return nothing;
  return { events: [started(found.attempt, command.at)] };
}

export function decideProgress(state: State, command: ProgressAttempt): Decision {
  const found = checkFence(state, command);
  if (found.type !== 'live') return refuse(found);
  const { attempt } = found;
  const { progress, message, at } = command;
  const events: Event[] = [];
  if (attempt.startedAt === null) events.push(started(attempt, at));
  events.push({ type: 'attempt_progressed', attempt, progress, message, at });
  return { events };
}

/** Only the attempt that holds the task may move the point from which the next one resumes. */
export function decideCheckpoint(state: State, command: SaveCheckpoint): Decision {
  const found = checkFence(state, command);
  if (found.type !== 'live') return refuse(found);
  const { attempt, task } = found;
  if (attempt.isCopy) return reject('stale_attempt', 'A copy of an attempt saves no checkpoints.');
  const newest = task.checkpoints.at(-1);
  // It was sent again because its acknowledgement was lost, or a newer checkpoint has overtaken it.
  const isRepeat = newest?.attempt === attempt.attempt && command.sequence <= newest.sequence;
  if (isRepeat) return nothing;
  const { at } = command;
  const events: Event[] = [];
  if (attempt.startedAt === null) events.push(started(attempt, at));
  const { assignedAt, startedAt } = attempt;
  events.push({
    type: 'checkpoint_saved',
    attempt,
    command,
    assignedAt,
    startedAt: startedAt ?? at,
    at,
  });
  if (handsOver(attempt.worker)) {
    events.push(...handOver(state, attempt, 'checkpoint', at, command.progress));
  }
  return { events };
}

/** A damaged checkpoint is no point to resume from. */
export function decideDropCheckpoint(
  state: State,
  command: Extract<Command, { type: 'drop_checkpoint' }>,
): Decision {
  const task = state.jobs.get(command.jobId)?.tasks.get(command.index);
  const checkpoint = task?.checkpoints.find(({ id }) => id === command.checkpointId);
  if (checkpoint === undefined) return nothing;
  return { events: [{ type: 'checkpoint_dropped', checkpoint, at: command.at }] };
}

export function decideComplete(state: State, command: CompleteAttempt): Decision {
  const found = checkFence(state, command);
  if (found.type === 'accepted') return nothing;
  const mayCount = found.type === 'live' || (found.type === 'lost' && takesLateResult(found.task));
  if (!mayCount) return refuse(found);
  const { attempt, token, workerId, resultJson, watts, at } = command;
  const { task } = found;
  const worker = state.workers.get(workerId) ?? null;
  const live = found.type === 'live' ? found.attempt : null;
  const isCopy = live !== null && live.isCopy;
  const overtaken = isCopy ? (task.live.find((other) => !other.isCopy) ?? null) : null;
  const startedAt =
    live?.startedAt ?? (command.runMs === null ? task.assignedAt : at - command.runMs);
  const runMs = command.runMs ?? Math.max(0, at - (startedAt ?? at));
  const estimatedJoules = watts === null ? null : (watts * runMs) / 1000;
  const completed: Event = {
    type: 'task_completed',
    task,
    attempt,
    token,
    workerId,
    worker,
    finished: live,
    overtaken,
    resultJson,
    startedAt,
    runMs,
    cpuSeconds: command.cpuSeconds ?? null,
    energyJoules: command.energyJoules ?? estimatedJoules,
    at,
  };
  const events: Event[] = [completed];
  for (const other of task.live) {
    if (other.attempt !== attempt) events.unshift(superseded(other, at));
  }
  if (worker !== null) events.push(...assessWorkers(state, task, worker, at));
  return { events };
}

export function decideFail(state: State, command: FailAttempt): Decision {
  const found = checkFence(state, command);
  // A time-out has ended the attempt before: the worker reported it, or the coordinator found out.
  const isRepeat = found.type === 'lost' && found.past.outcome === 'timed_out';
  if (found.type === 'failed' || isRepeat) return nothing;
  if (found.type !== 'live') return refuse(found);
  const { errorType, errorMessage, retryable, runMs, chance, at } = command;
  const isTimeout = errorType === 'attempt_timeout' || errorType === 'progress_timeout';
  return {
    events: failOrRequeue(state, {
      attempt: found.attempt,
      outcome: isTimeout ? 'timed_out' : 'failed',
      errorType,
      errorMessage,
      charge: isTimeout ? 'timeout' : 'error',
      retryable,
      runMs,
      chance,
      at,
    }),
  };
}

/** The attempt could not be sent: its task is charged an error, its worker nothing. */
export function decideFailUnsent(
  state: State,
  command: Extract<Command, { type: 'fail_unsent' }>,
): Decision {
  const { jobId, index, token, problem, chance, at } = command;
  const attempt = findLive(state, jobId, index, token);
  if (attempt === undefined) return nothing;
  return {
    events: failOrRequeue(state, {
      attempt,
      outcome: 'revoked',
      errorType: 'payload_unreadable',
      errorMessage: problem,
      charge: 'error',
      retryable: true,
      runMs: null,
      chance,
      at,
    }),
  };
}

const untoldReason = {
  refused: 'The worker gave no reason.',
  released: 'The worker gave it back before it began.',
} as const;

export function decideRelease(state: State, command: ReleaseAttempt): Decision {
  const found = checkFence(state, command);
  // It was released twice, or lost meanwhile: nothing is left to do, and the worker should forget it.
  if (found.type !== 'live') return found.type === 'not_yours' ? refuse(found) : nothing;
  const { chance, at, reason: outcome, message } = command;
  const { attempt } = found;
  const { worker } = attempt;
  // It takes nothing, and has said so: whatever it gives back is not held against it.
  if (worker.rest !== null) return { events: handOver(state, attempt, 'rests', at) };
  // As for all that it holds when it says so itself.
  if (outcome === 'left') return { events: handOver(state, attempt, 'left', at) };
  const isOwnWish = command.isOwnWish && !attempt.recalled && !handsOver(worker);
  const isPausing = outcome === 'refused' || isOwnWish;
  return {
    events: failOrRequeue(state, {
      attempt,
      outcome,
      errorType: outcome,
      errorMessage: message ?? untoldReason[outcome],
      charge: 'none',
      ...(isPausing
        ? { pause: nextPause(state.settings, attempt, { outcome, reason: message }, at) }
        : {}),
      retryable: true,
      runMs: null,
      chance,
      at,
    }),
  };
}

/** What an attempt is that a worker names; the header tells what each answer means. */
export type FenceVerdict =
  | { readonly type: 'live'; readonly task: TaskRecord; readonly attempt: AttemptRecord }
  | { readonly type: 'lost' | 'failed'; readonly task: TaskRecord; readonly past: PastAttempt }
  /** The accepted attempt of a completed task. */
  | { readonly type: 'accepted'; readonly task: TaskRecord }
  | { readonly type: 'stale' }
  | { readonly type: 'not_yours' };

/** Compares an attempt as a worker names it with the records. */
export function checkFence(state: State, named: NamedAttempt & { workerId: string }): FenceVerdict {
  const job = state.jobs.get(named.jobId);
  const task = job?.tasks.get(named.index);
  if (task === undefined) {
    const wasGivenOut = job === undefined || !isFresh(job, named.index);
    return { type: wasGivenOut ? 'stale' : 'not_yours' };
  }
  for (const attempt of task.live) {
    if (attempt.attempt !== named.attempt) continue;
    const isTheirs = attempt.token === named.token && attempt.worker.id === named.workerId;
    return isTheirs ? { type: 'live', task, attempt } : { type: 'not_yours' };
  }
  if (task.accepted !== null && task.accepted.attempt === named.attempt) {
    return task.accepted.token === named.token ? { type: 'accepted', task } : { type: 'not_yours' };
  }
  for (const past of task.past) {
    if (past.attempt !== named.attempt) continue;
    if (past.token !== named.token || past.workerId !== named.workerId) break;
    const hasReported = past.outcome === 'failed';
    return { type: hasReported ? 'failed' : 'lost', task, past };
  }
  const everAssigned = named.attempt >= 1 && named.attempt <= task.attempt;
  return { type: everAssigned ? 'stale' : 'not_yours' };
}

/** `startedAt` is earlier than `at` when nobody could hear of the start. */
export function started(attempt: AttemptRecord, at: number, startedAt = at): Event {
  return { type: 'attempt_started', attempt, startedAt, at };
}

function takesLateResult(task: TaskRecord): boolean {
  const isOpen = task.status !== 'completed' && task.status !== 'failed';
  return isOpen && !isFinalJob(task.job.status) && task.job.spec.lateResults === 'accept';
}

function superseded(attempt: AttemptRecord, at: number): Event {
  return endAttempt({
    attempt,
    outcome: 'superseded',
    errorType: 'superseded',
    errorMessage: 'Another attempt of the task brought the result first.',
    charge: 'none',
    runMs: null,
    at,
  });
}

function refuse(found: FenceVerdict): Decision {
  return found.type === 'not_yours'
    ? reject('not_yours', 'No such attempt was given to this worker, or the token is wrong.')
    : reject('stale_attempt', 'The attempt no longer counts: it was replaced, or its task ended.');
}
