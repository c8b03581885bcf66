import type { RegisterWorker, WorkerDescription } from '../commands.ts';
import { createWorker, observe } from '../create/worker.ts';
import type { Event } from '../events.ts';
import type { AnyDeadline, AttemptRecord, Draining, WorkerRecord } from '../records.ts';
import { graceOf, leaseOf } from '../lease.ts';
import { emptyCounters, type State } from '../state.ts';
import { expectNaming } from './attempts.ts';

export function applyRegistered(state: State, command: RegisterWorker): void {
  const worker = createWorker({ ...command, generation: state.generation });
  state.workers.set(worker.id, worker);
  state.mostWorkers = Math.max(state.mostWorkers, state.workers.size);
  expectReturn(state, worker, command.at);
  if (worker.waitsUntil !== null) state.deadlines.arm(worker.admission, worker.waitsUntil);
  changeRows(state, worker);
}

export function applyConnected(
  state: State,
  event: Extract<Event, { type: 'worker_connected' }>,
): void {
  const { worker, connectionId, description, leaving, at } = event;
  describe(worker, description);
  worker.connection = { state: 'connected', id: connectionId, transport: 'socket' };
  worker.asleep = false;
  worker.leaving = leaving;
  worker.lastSeenAt = at;
  worker.lastHeartbeatAt = at;
  worker.prefetch = 0;
  hasReturned(state, worker);
  state.deadlines.disarm(worker.grace);
  state.deadlines.arm(worker.lease, at + leaseOf(state, worker));
  changeRows(state, worker);
}

/** A worker over plain HTTP is reachable as long as it calls. */
export function applyAttached(
  state: State,
  worker: WorkerRecord,
  connectionId: number,
  at: number,
): void {
  worker.connection = { state: 'connected', id: connectionId, transport: 'http' };
  worker.asleep = false;
  worker.lastSeenAt = at;
  for (const attempt of worker.attempts) {
    // Of an attempt from before a restart it is not known whether it was handed out: the worker has a lease
    // to name it.
    if (attempt.delivery === null) attempt.sequence = 1;
    if (!isExpected(attempt)) expectNaming(state, attempt, at);
  }
  hasReturned(state, worker);
  state.deadlines.disarm(worker.grace);
  state.deadlines.arm(worker.lease, at + leaseOf(state, worker));
  changeRows(state, worker);
}

/** A deadline is armed by which the attempt must be handed out, or named. */
function isExpected({ delivery, naming }: AttemptRecord): boolean {
  return (delivery?.position ?? -1) >= 0 || (naming?.position ?? -1) >= 0;
}

export function applyObserved(
  state: State,
  event: Extract<Event, { type: 'worker_observed' }>,
): void {
  const { worker, measured, telemetryJson, leaving, at } = event;
  worker.leaving = leaving;
  worker.lastSeenAt = at;
  worker.lastHeartbeatAt = at;
  worker.telemetryJson = telemetryJson;
  worker.assignedSinceHeartbeat = 0;
  worker.observed = observe(worker, measured);
  changeMatrix(state, worker);
}

/** What it has begun goes on. */
export function applyRestChanged(
  state: State,
  worker: WorkerRecord,
  because: string | null,
  at: number,
): void {
  worker.rest = because === null ? null : { because, since: worker.rest?.since ?? at };
  // What it was given beyond its slots was given to one that works.
  if (because !== null) worker.prefetch = 0;
  changeMatrix(state, worker);
}

/** Every deadline that runs by its lease runs by the new one from now on. */
export function applyLeaseChanged(
  state: State,
  worker: WorkerRecord,
  leaseMs: number | null,
  at: number,
): void {
  worker.leaseNowMs = leaseMs;
  const { deadlines } = state;
  const until = at + leaseOf(state, worker);
  if (worker.lease.position >= 0) deadlines.arm(worker.lease, until);
  for (const { delivery, naming } of worker.attempts) {
    for (const due of [delivery, naming]) {
      if (due !== null && due.position >= 0) deadlines.arm(due, until);
    }
  }
}

export function applyDisconnected(
  state: State,
  worker: WorkerRecord,
  { isCut, at }: { readonly isCut: boolean; readonly at: number },
): void {
  worker.connection = { state: 'grace' };
  state.deadlines.disarm(worker.lease);
  const unnoticedMs = isCut ? leaseOf(state, worker) : 0;
  state.deadlines.arm(worker.grace, at + unnoticedMs + graceOf(state, worker));
  changeMatrix(state, worker);
}

/** Lost, or left by itself: it has its time to come back. */
export function applyAway(state: State, worker: WorkerRecord, at: number): void {
  applyOffline(state, worker);
  expectReturn(state, worker, at);
}

/** Not before `earliest`, if that is later than its time. */
export function expectReturn(
  { deadlines, settings }: State,
  worker: WorkerRecord,
  since: number,
  earliest = since,
): void {
  worker.awaySince = since;
  const keepMs = worker.type === 'browser' ? settings.keepAwayPagesMs : settings.keepAwayMs;
  if (keepMs !== null) deadlines.arm(worker.away, Math.max(earliest, since + keepMs));
}

function hasReturned({ deadlines }: State, worker: WorkerRecord): void {
  worker.awaySince = null;
  deadlines.disarm(worker.away);
}

function applyOffline(state: State, worker: WorkerRecord): void {
  worker.connection = { state: 'offline' };
  state.deadlines.disarm(worker.lease);
  state.deadlines.disarm(worker.grace);
  changeRows(state, worker);
}

/** Every deadline that waits for a message of a worker is put off to a whole lease from now. */
export function applySilenceExcused(state: State, at: number): void {
  const { workers, deadlines } = state;
  for (const worker of workers.values()) {
    const { lease, grace, attempts } = worker;
    const until = at + leaseOf(state, worker);
    const postpone = (due: AnyDeadline | null) => {
      const isArmed = due !== null && due.position >= 0;
      if (isArmed && due.at < until) deadlines.arm(due, until);
    };
    postpone(lease);
    postpone(grace);
    for (const { timeout, progressTimeout, delivery, naming } of attempts) {
      postpone(timeout);
      postpone(progressTimeout);
      postpone(delivery);
      postpone(naming);
    }
  }
}

export function applyDraining(state: State, worker: WorkerRecord, draining: Draining | null): void {
  worker.draining = draining;
  if (draining === null || draining.deadline === null) state.deadlines.disarm(worker.drain);
  else state.deadlines.arm(worker.drain, draining.deadline);
  changeRows(state, worker);
}

/** It may be given work from now on. */
export function applyApproved(state: State, worker: WorkerRecord): void {
  worker.waitsUntil = null;
  state.deadlines.disarm(worker.admission);
  changeRows(state, worker);
}

export function applyRenamed(worker: WorkerRecord, name: string): void {
  worker.givenName = name;
  worker.name = name;
}

export function applyQuarantined(
  state: State,
  worker: WorkerRecord,
  until: number,
  pauseMs: number,
): void {
  worker.quarantine = { until, pauseMs };
  worker.blames = 0;
  state.deadlines.arm(worker.probe, until);
  changeRows(state, worker);
}

/** The worker stays in quarantine, but may have one task. */
export function applyProbed(state: State, worker: WorkerRecord): void {
  state.deadlines.disarm(worker.probe);
  changeRows(state, worker);
}

export function applyReleased(state: State, worker: WorkerRecord): void {
  worker.quarantine = null;
  worker.blames = 0;
  state.deadlines.disarm(worker.probe);
  changeRows(state, worker);
}

export function applyDeregistered(state: State, worker: WorkerRecord): void {
  applyOffline(state, worker);
  state.deadlines.disarm(worker.probe);
  state.deadlines.disarm(worker.away);
  state.deadlines.disarm(worker.drain);
  state.deadlines.disarm(worker.admission);
  state.workers.delete(worker.id);
  state.maybeFree.delete(worker);
  state.maybeOverfull.delete(worker);
  state.matrixRows = undefined;
}

/** Drops everything of the older generation from memory; the commit drops it from the store. */
export function applyCleared(state: State, generation: number): void {
  for (const worker of state.workers.values()) {
    applyOffline(state, worker);
    state.deadlines.disarm(worker.probe);
    state.deadlines.disarm(worker.away);
    state.deadlines.disarm(worker.drain);
    state.deadlines.disarm(worker.admission);
  }
  for (const job of state.jobs.values()) {
    for (const task of job.tasks.values()) {
      if (task.retry !== null) state.deadlines.disarm(task.retry);
    }
  }
  state.deadlines.disarm(state.retention);
  state.jobs.clear();
  state.workers.clear();
  state.maybeFree.clear();
  state.maybeOverfull.clear();
  state.matrixRows = undefined;
  state.queue.clear();
  state.generation = generation;
  Object.assign(state.counters, emptyCounters());
  state.ownerCounters.clear();
}

function describe(worker: WorkerRecord, description: WorkerDescription): void {
  Object.assign(worker, description);
  if (worker.givenName !== null) worker.name = worker.givenName;
}

/** The set of workers in the matrix may have changed. */
function changeRows(state: State, worker: WorkerRecord): void {
  state.matrixRows = undefined;
  changeMatrix(state, worker);
}

function changeMatrix(state: State, worker: WorkerRecord): void {
  state.snapshotVersion++;
  state.maybeFree.add(worker);
  if (worker.activeTasks > worker.slots) state.maybeOverfull.add(worker);
  state.wantsPass = true;
}
