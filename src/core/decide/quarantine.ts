// Workers that fail what succeeds elsewhere. A task's own error looks the same on every worker, so only
// the next success of the same task on another one says that it was the worker.

import type { Event } from '../events.ts';
import { blamed } from '../blame.ts';
import { isOnProbe } from '../eligibility.ts';
import type { TaskRecord, WorkerRecord } from '../records.ts';
import type { State } from '../state.ts';

/** What a success on `winner` means for the workers on which the task failed before, and for `winner`. */
export function assessWorkers(
  state: State,
  task: TaskRecord,
  winner: WorkerRecord,
  at: number,
): Event[] {
  const events: Event[] = [];
  if (winner.quarantine !== null) events.push({ type: 'worker_released', worker: winner, at });
  for (const worker of blamed(state, task, winner)) {
    const isLast = worker.blames + 1 >= state.settings.quarantineAfterBlames;
    if (worker.quarantine === null && isLast) {
      events.push(quarantined(worker, state.settings.quarantinePauseMs, at));
      events.push(...recalled(worker, at));
    }
  }
  return events;
}

/** A probe that failed: the pause doubles. */
export function afterFailure(state: State, worker: WorkerRecord, at: number): Event[] {
  if (worker.quarantine === null || !isOnProbe(worker)) return [];
  const { maxQuarantinePauseMs } = state.settings;
  const pauseMs = Math.min(maxQuarantinePauseMs, worker.quarantine.pauseMs * 2);
  return [quarantined(worker, pauseMs, at)];
}

function quarantined(worker: WorkerRecord, pauseMs: number, at: number): Event {
  return { type: 'worker_quarantined', worker, until: at + pauseMs, pauseMs, at };
}

/** Attempts that have not begun are recalled, so that other workers can have them. */
function recalled(worker: WorkerRecord, at: number): Event[] {
  return [...worker.attempts]
    .filter((attempt) => attempt.startedAt === null && !attempt.recalled)
    .map((attempt) => ({ type: 'attempt_recalled', attempt, at }));
}
