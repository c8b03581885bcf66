import type {
  AttachWorker,
  NamedAttempt,
  ConnectWorker,
  Heartbeat,
  RegisterWorker,
} from '../commands.ts';
import type { Event } from '../events.ts';
import { heartbeatMsOf } from '../lease.ts';
import type { AttemptRecord, WorkerRecord } from '../records.ts';
import { unknownWorker } from '../rejection.ts';
import type { State } from '../state.ts';
import { checkFence, started } from './attempts.ts';
import type { Accepted, Decision } from './decision.ts';
import { handOver } from './hand-over.ts';
import { failOrRequeue } from './outcome.ts';
import { leaseChanges, restChanges, takeBackUnbegun } from './rest.ts';

export function decideRegister(command: RegisterWorker): Decision {
  return { events: [{ type: 'worker_registered', command, at: command.at }] };
}

/**
 * A worker is (back) on a connection. What it holds is adopted if it is live; what it should hold
 * and does not is requeued at once: uncharged when it had not started, lost when it had.
 */
export function decideConnect(state: State, command: ConnectWorker): Decision {
  const worker = state.workers.get(command.workerId);
  if (worker === undefined) return unknownWorker(command.workerId);
  const { connectionId, description, measured, telemetryJson, leaving, rest, held, at } = command;
  const events: Event[] = [
    { type: 'worker_connected', worker, connectionId, description, leaving, at },
  ];
  if (measured !== null && telemetryJson !== null) {
    events.push({ type: 'worker_observed', worker, measured, telemetryJson, leaving, at });
  }
  events.push(...restChanges(worker, rest, at));
  if (rest === null) events.push(...leaseChanges(worker, null, at));
  const named = new Set<AttemptRecord>();
  const stop: (NamedAttempt & { reason: string })[] = [];
  for (const ref of held) {
    const verdict = checkFence(state, { ...ref, workerId: worker.id });
    if (verdict.type === 'live') {
      // An attempt named twice is adopted once: a second start would arm a second time limit.
      if (named.has(verdict.attempt)) continue;
      named.add(verdict.attempt);
      events.push(...adopted(state, verdict.attempt, ref, rest !== null, at));
    } else if (ref.state !== 'finished') {
      stop.push({
        ...ref,
        reason: verdict.type === 'not_yours' ? 'not_yours' : 'stale_attempt',
      });
    }
  }
  const gone = [...worker.attempts].filter((attempt) => !named.has(attempt));
  events.push(...endEach(gone, (attempt) => dropped(state, attempt, at)));
  return { events, stop };
}

/**
 * A worker over plain HTTP has no connection that could close: any call of it makes it reachable.
 * Its heartbeats tell what it holds.
 */
export function decideAttach(state: State, command: AttachWorker): Decision {
  const worker = state.workers.get(command.workerId);
  if (worker === undefined) return unknownWorker(command.workerId);
  const { connectionId, asksForWork, at } = command;
  const { connection } = worker;
  const isAttached = connection.state === 'connected' && connection.id === connectionId;
  if (isAttached && !(asksForWork && worker.asleep)) {
    return { events: [{ type: 'worker_heard', worker, at }] };
  }
  return { events: [{ type: 'worker_attached', worker, connectionId, at }] };
}

export function decideDisconnect(
  state: State,
  workerId: string,
  connectionId: number,
  isCut: boolean,
  at: number,
): Decision {
  const worker = state.workers.get(workerId);
  const isCurrent =
    worker?.connection.state === 'connected' && worker.connection.id === connectionId;
  // An old socket closes after the new one said hello: that says nothing about the worker.
  if (worker === undefined || !isCurrent) return { events: [] };
  return { events: [{ type: 'worker_disconnected', worker, isCut, at }] };
}

export function decideHear(state: State, workerId: string, at: number): Decision {
  const worker = state.workers.get(workerId);
  if (worker === undefined) return unknownWorker(workerId);
  return { events: [{ type: 'worker_heard', worker, at }] };
}

/**
 * An attempt that arrived and is missing from two lists in a row is lost. A list names nothing that is younger than an
 * interval, by the clock of its worker: lists that are read one right after the other, after a standstill for example,
 * may both be from the time when it was.
 */
export function decideHeartbeat(state: State, command: Heartbeat): Decision {
  const worker = state.workers.get(command.workerId);
  if (worker === undefined) return unknownWorker(command.workerId);
  const { measured, telemetryJson, assignSequence, leaving, rest, leaseMs, held, at } = command;
  const events: Event[] = [
    { type: 'worker_observed', worker, measured, telemetryJson, leaving, at },
    ...restChanges(worker, rest, at),
    ...leaseChanges(worker, leaseMs, at),
  ];
  const named = new Set<AttemptRecord>();
  const stop: (NamedAttempt & { reason: string })[] = [];
  for (const ref of held) {
    const verdict = checkFence(state, { ...ref, workerId: worker.id });
    if (verdict.type === 'live') {
      if (named.has(verdict.attempt)) continue;
      named.add(verdict.attempt);
      events.push(...stillHeld(state, verdict.attempt, ref.progress, at));
    } else if (verdict.type !== 'accepted' && verdict.type !== 'failed') {
      stop.push({
        ...ref,
        reason: verdict.type === 'not_yours' ? 'not_yours' : 'stale_attempt',
      });
    }
  }
  const intervalMs = heartbeatMsOf(state);
  const young = at - intervalMs * 1.5;
  const missing = [...worker.attempts].filter((attempt) => {
    const hasArrived = attempt.sequence > 0 && attempt.sequence <= assignSequence;
    return hasArrived && attempt.assignedAt < young && !named.has(attempt);
  });
  for (const attempt of missing) {
    if (attempt.missedAt === null) events.push({ type: 'attempt_missed', attempt, at });
  }
  const before = at - intervalMs / 2;
  const gone = new Set(missing.filter(({ missedAt }) => missedAt !== null && missedAt <= before));
  const begins = rest !== null && worker.rest === null;
  const taken = begins ? [...worker.attempts].filter((attempt) => !gone.has(attempt)) : [];
  const ended = endEach([...gone, ...taken], (attempt) =>
    gone.has(attempt) ? dropped(state, attempt, at) : takeBackUnbegun(state, attempt, at),
  );
  events.push(...ended);
  return { events, stop };
}

export function decideDeregister(state: State, id: string, at: number): Decision {
  const worker = state.workers.get(id);
  if (worker === undefined) return unknownWorker(id);
  const events = endAll(state, worker, 'revoked', 'deregistered', at);
  events.push({ type: 'worker_deregistered', worker, because: 'asked', at });
  return { events };
}

export function decideLeave(state: State, id: string, at: number): Decision {
  const worker = state.workers.get(id);
  if (worker === undefined) return unknownWorker(id);
  const events = endEach(worker.attempts, (attempt) => {
    if (attempt.startedAt !== null) return handOver(state, attempt, 'left', at);
    return end(state, attempt, 'released', 'worker_left', at);
  });
  events.push({ type: 'worker_left', worker, at });
  return { events };
}

/** Takes everything from a worker that is not heard of any more. */
export function loseWorker(
  state: State,
  worker: WorkerRecord,
  reason: 'worker_lost' | 'connection_lost',
  at: number,
): Accepted {
  const events = endAll(state, worker, 'lost', reason, at);
  events.push({ type: 'worker_lost', worker, at });
  return { events };
}

function endAll(
  state: State,
  worker: WorkerRecord,
  outcome: 'lost' | 'revoked' | 'released',
  reason: string,
  at: number,
): Event[] {
  return endEach(worker.attempts, (attempt) => end(state, attempt, outcome, reason, at));
}

/** Ends attempts one by one; one whose job was abandoned by an earlier end is over already. */
export function endEach(
  attempts: Iterable<AttemptRecord>,
  endOne: (attempt: AttemptRecord) => Event[],
): Event[] {
  const events: Event[] = [];
  const ended = new Set<AttemptRecord>();
  for (const attempt of attempts) {
    if (ended.has(attempt)) continue;
    for (const event of endOne(attempt)) {
      if (event.type === 'attempt_ended') {
        if (ended.has(event.attempt)) continue;
        ended.add(event.attempt);
      }
      events.push(event);
    }
  }
  return events;
}

/**
 * An attempt was handed out over plain HTTP and not named for a lease: the answer has not arrived, or
 * the worker was restarted. If the worker has it after all, its result still counts.
 */
export function loseUnnamed(state: State, attempt: AttemptRecord, at: number): Accepted {
  return { events: end(state, attempt, 'lost', 'connection_lost', at) };
}

/** The worker does not hold the attempt any more. */
function dropped(state: State, attempt: AttemptRecord, at: number): Event[] {
  const outcome = attempt.startedAt === null ? 'released' : 'lost';
  return end(state, attempt, outcome, 'connection_lost', at);
}

function end(
  state: State,
  attempt: AttemptRecord,
  outcome: 'lost' | 'revoked' | 'released',
  reason: string,
  at: number,
): Event[] {
  return failOrRequeue(state, {
    attempt,
    outcome,
    errorType: reason,
    errorMessage: `The attempt on worker ${attempt.worker.id} was lost: ${lossText(reason, attempt, at)}.`,
    // Only what had started counts against the task.
    charge: outcome === 'lost' && attempt.startedAt !== null ? 'loss' : 'none',
    retryable: true,
    runMs: null,
    chance: 0,
    at,
  });
}

/** A reason in words. The kind of the error is the reason itself. */
function lossText(reason: string, { worker }: AttemptRecord, at: number): string {
  if (reason === 'worker_lost') {
    const seconds = Math.max(1, Math.round((at - worker.lastHeartbeatAt) / 1_000));
    return `nothing was heard of the worker for ${seconds} s`;
  }
  if (reason === 'connection_lost') return 'the worker was cut off, or does not have it any more';
  return reason.replaceAll('_', ' ');
}

/**
 * The attempt goes on where it is. Its time limit goes on too: from when the worker says that it began,
 * but not before it was assigned.
 */
function adopted(
  { restart }: State,
  attempt: AttemptRecord,
  { state, runMs }: ConnectWorker['held'][number],
  rests: boolean,
  at: number,
): Event[] {
  const events: Event[] = [];
  if (state !== 'queued' && attempt.startedAt === null) {
    const began = runMs === null ? presumedStart(restart, attempt, at) : at - Math.round(runMs);
    events.push(started(attempt, at, Math.min(at, Math.max(attempt.assignedAt, began))));
  }
  events.push({ type: 'attempt_named', attempt, at });
  if (state === 'queued' && isWantedBack(attempt, rests)) {
    events.push({ type: 'attempt_recalled', attempt, at });
  }
  return events;
}

/** The worker was asked for it, and that was lost with the connection, or the coordinator was restarted. */
function isWantedBack(
  { recalled, startedAt, task, worker }: AttemptRecord,
  rests: boolean,
): boolean {
  if (startedAt !== null) return false;
  return recalled || rests || task.job.heldAt !== null || worker.draining !== null;
}

/**
 * When the worker does not say when an attempt began, it may have begun as soon as it was assigned. The
 * time in which the coordinator was down does not count.
 */
function presumedStart(restart: State['restart'], attempt: AttemptRecord, at: number): number {
  if (!attempt.isAwaited) return at;
  return Math.min(at, attempt.assignedAt + (restart?.downMs ?? 0));
}

function stillHeld(
  { restart }: State,
  attempt: AttemptRecord,
  progress: number | null,
  at: number,
): Event[] {
  const events: Event[] = [];
  const isNaming = attempt.naming !== null && attempt.naming.position >= 0;
  if (attempt.missedAt !== null || isNaming) events.push({ type: 'attempt_named', attempt, at });
  // Over plain HTTP there is no `hello`: after a restart a heartbeat that names the attempt adopts it.
  if (attempt.isAwaited && attempt.startedAt === null) {
    events.push(started(attempt, at, presumedStart(restart, attempt, at)));
  }
  if (progress !== null && progress !== attempt.progress) {
    if (attempt.startedAt === null && !attempt.isAwaited) events.push(started(attempt, at));
    events.push({
      type: 'attempt_progressed',
      attempt,
      progress,
      message: attempt.progressMessage,
      at,
    });
  }
  return events;
}
