// A worker that drains hands over what it runs: right after the next checkpoint (`decideCheckpoint`), or at the
// deadline.

import type { DrainWorker } from '../commands.ts';
import type { Event } from '../events.ts';
import type { WorkerRecord } from '../records.ts';
import { unknownWorker } from '../rejection.ts';
import type { State } from '../state.ts';
import type { Accepted, Decision } from './decision.ts';
import { handOver, takeBack } from './hand-over.ts';
import { endEach } from './workers.ts';

export function decideDrain(state: State, command: DrainWorker): Decision {
  const { workerId, at } = command;
  const worker = state.workers.get(workerId);
  if (worker === undefined) return unknownWorker(workerId);
  const { draining } = worker;
  const before = draining?.deadline ?? null;
  const asked = command.deadline === undefined ? before : command.deadline;
  // As deadlines are: clocks tell whole milliseconds.
  const deadline = asked === null ? null : Math.ceil(asked);
  if (draining !== null && deadline === before) return { events: [] };
  const since = draining === null ? at : draining.since;
  const events: Event[] = [{ type: 'worker_drained', worker, since, deadline, at }];
  if (draining === null) {
    for (const attempt of worker.attempts) events.push(...takeBack(state, attempt, 'waiting', at));
  }
  return { events };
}

export function decideResume(state: State, id: string, at: number): Decision {
  const worker = state.workers.get(id);
  if (worker === undefined) return unknownWorker(id);
  const events: Event[] = [];
  // An operator who resumes a worker trusts it again.
  if (worker.quarantine !== null) events.push({ type: 'worker_released', worker, at });
  if (worker.draining !== null) events.push({ type: 'worker_resumed', worker, at });
  return { events };
}

/** The deadline of a drain: whatever the worker still has goes to others as it is. */
export function endDrain(state: State, worker: WorkerRecord, at: number): Accepted {
  const events = endEach(worker.attempts, (attempt) => handOver(state, attempt, 'deadline', at));
  events.push({ type: 'drain_ended', worker, at });
  return { events };
}
