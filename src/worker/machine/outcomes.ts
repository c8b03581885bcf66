// What the executor says of an attempt, turned into a report or a new place for it.

import { RawJson } from '../../protocol/codec.ts';
import { defaultLimits } from '../../protocol/limits.ts';
import type { FailureReport, ResultReport } from '../../protocol/messages.ts';
import type { ExecutorEvent, ExecutorOutcome } from '../executor.ts';
import type { HandedPlace, LocalAttempt } from './attempt.ts';
import { attemptRef } from './attempt.ts';
import { CheckpointFlow } from './checkpoints.ts';
import type { Workload } from './workload.ts';

export function concludeOutcome(workload: Workload, outcome: ExecutorOutcome, nowMs: number): void {
  const left = workload.leaveSlot(outcome.key);
  if (left === undefined) {
    workload.out.log('warn', 'unknown_outcome', `${outcome.key} is in no slot.`);
    return;
  }
  const { attempt, ending } = left;
  if (outcome.type !== 'stopped') attempt.job.pace.measure(outcome.runMs, workload.tuning);
  if (ending === 'drop') return;
  if (outcome.type === 'result') {
    const entry = resultReport(attempt, outcome, workload.wattsPerCore);
    const characters = outcome.valueJson.length;
    workload.report(attempt, { kind: 'result', entry, characters }, nowMs);
  } else if (outcome.type === 'failure') {
    workload.report(attempt, { kind: 'failure', entry: failureReport(attempt, outcome) }, nowMs);
  } else if (ending === 'requeue') workload.requeue(attempt, 'tail');
  else if (ending === 'release') workload.release(attempt);
  else if (ending === 'give_back') workload.giveBack(attempt);
  else {
    const error = { error_type: outcome.reason, error_message: `Stopped: ${outcome.reason}.` };
    workload.report(
      attempt,
      { kind: 'failure', entry: { ...attemptRef(attempt), ...error } },
      nowMs,
    );
  }
}

/** `started`, `progress` or `checkpoint` of a handed attempt that is still held. */
export function noteEvent(
  workload: Workload,
  attempt: LocalAttempt,
  place: HandedPlace,
  event: Extract<ExecutorEvent, { readonly key: string }>,
  nowMs: number,
): void {
  if (event.type === 'started') {
    place.slot.running = attempt;
    attempt.startedAtMs = nowMs;
    workload.out.start(attempt);
    return;
  }
  attempt.progress = event.progress;
  if (event.type === 'progress') {
    attempt.progressMessage = event.message;
    workload.stale.add(attempt);
    return;
  }
  const { sequence, progress, state, runMs } = event;
  attempt.checkpoints ??= new CheckpointFlow();
  const checkpoint = { sequence, progress, state, runMs };
  const due = attempt.checkpoints.offer(checkpoint, workload.out.isOpen);
  if (due !== null) workload.out.checkpoint(attempt, due);
}

function resultReport(
  attempt: LocalAttempt,
  outcome: Extract<ExecutorOutcome, { readonly type: 'result' }>,
  wattsPerCore: number | null,
): ResultReport {
  const report = {
    task_id: attempt.taskId,
    attempt: attempt.attempt,
    token: attempt.token,
    value: new RawJson(outcome.valueJson),
    run_ms: rounded(outcome.runMs, 1e3),
    cpu_seconds: rounded(outcome.cpuSeconds, 1e6),
  };
  if (wattsPerCore === null) return report;
  return { ...report, energy_joules: rounded(outcome.cpuSeconds * wattsPerCore, 1e6) };
}

function failureReport(
  attempt: LocalAttempt,
  outcome: Extract<ExecutorOutcome, { readonly type: 'failure' }>,
): FailureReport {
  return {
    ...attemptRef(attempt),
    error_type: outcome.errorType,
    error_message: outcome.errorMessage.slice(0, defaultLimits.errorMessageCharacters),
    retryable: outcome.retryable,
    run_ms: rounded(outcome.runMs, 1e3),
    cpu_seconds: rounded(outcome.cpuSeconds, 1e6),
  };
}

function rounded(value: number, unitsPerOne: number): number {
  return Number.isFinite(value) ? Math.round(value * unitsPerOne) / unitsPerOne : 0;
}
