// What the events of the executor mean for an attempt: its report, its progress, its checkpoints.

import { RawJson } from '../../protocol/codec.ts';
import { defaultLimits } from '../../protocol/limits.ts';
import type { FailureReport, ResultReport } from '../../protocol/messages.ts';
import type { ExecutorEvent, ExecutorOutcome } from '../executor.ts';
import {
  attemptRef,
  type Ending,
  type HandedPlace,
  type LocalAttempt,
  type Report,
} from './local-attempt.ts';
import { CheckpointFlow } from './checkpoints.ts';
import type { Outgoing } from './outgoing.ts';
import type { PrintedTexts } from './printed.ts';
import { energyJoules } from '../../protocol/device-power.ts';

/** What becomes of an attempt that has left its slot; `nothing`: it was dropped before. */
export type Conclusion =
  | { readonly type: 'report'; readonly report: Report }
  | { readonly type: 'requeue' | 'release' | 'release_by_bye' | 'nothing' };

/** `ending`: what the attempt was told to stop for, if it was. */
export function conclude(
  attempt: LocalAttempt,
  ending: Ending,
  outcome: ExecutorOutcome,
  wattsPerCore: number | null,
): Conclusion {
  if (ending === 'drop') return { type: 'nothing' };
  if (outcome.type === 'result') {
    const entry = resultReport(attempt, outcome, wattsPerCore);
    const characters = outcome.valueJson.length + (outcome.output?.length ?? 0);
    return { type: 'report', report: { kind: 'result', entry, characters } };
  }
  if (outcome.type === 'failure') return failure(failureReport(attempt, outcome));
  if (ending !== 'none') return { type: ending };
  const error = { error_type: outcome.reason, error_message: `Stopped: ${outcome.reason}.` };
  return failure({ ...attemptRef(attempt), ...error });
}

function failure(entry: FailureReport): Conclusion {
  return { type: 'report', report: { kind: 'failure', entry } };
}

/** Takes note of how far attempts have come. */
export interface ProgressNotes {
  readonly out: Outgoing;
  /** Attempts whose latest progress was not sent yet. */
  readonly stale: Set<LocalAttempt>;
  readonly printed: PrintedTexts;
}

/** `started`, `output`, `progress` or `checkpoint` of a handed attempt that is still held. */
export function noteEvent(
  { out, stale, printed }: ProgressNotes,
  attempt: LocalAttempt,
  place: HandedPlace,
  event: Extract<ExecutorEvent, { readonly key: string }>,
  nowMs: number,
): void {
  if (event.type === 'started') {
    place.slot.running = attempt;
    attempt.startedAtMs = nowMs;
    out.start(attempt);
    return;
  }
  if (event.type === 'output') {
    printed.add(attempt, event.text, nowMs);
    return;
  }
  attempt.progress = event.progress;
  if (event.type === 'progress') {
    const { message } = event;
    // One that is too long for a frame would end the connection, over and over.
    attempt.progressMessage = message?.slice(0, defaultLimits.progressMessageCharacters) ?? null;
    stale.add(attempt);
    return;
  }
  const { sequence, progress, state, runMs } = event;
  attempt.checkpoints ??= new CheckpointFlow();
  const due = attempt.checkpoints.offer({ sequence, progress, state, runMs }, out.isOpen);
  if (due !== null) out.checkpoint(attempt, due);
}

function resultReport(
  attempt: LocalAttempt,
  outcome: Extract<ExecutorOutcome, { readonly type: 'result' }>,
  wattsPerCore: number | null,
): ResultReport {
  const { valueJson, runMs, cpuSeconds, output } = outcome;
  const report: { -readonly [field in keyof ResultReport]: ResultReport[field] } = {
    task_id: attempt.taskId,
    attempt: attempt.attempt,
    token: attempt.token,
    value: new RawJson(valueJson),
    run_ms: rounded(runMs, 1e3),
    cpu_seconds: rounded(cpuSeconds, 1e6),
  };
  if (output !== undefined) report.output = output;
  if (wattsPerCore !== null)
    report.energy_joules = rounded(energyJoules(cpuSeconds, wattsPerCore), 1e6);
  return report;
}

function failureReport(
  attempt: LocalAttempt,
  outcome: Extract<ExecutorOutcome, { readonly type: 'failure' }>,
): FailureReport {
  return {
    ...attemptRef(attempt),
    error_type: outcome.errorType.slice(0, defaultLimits.nameCharacters),
    error_message: outcome.errorMessage.slice(0, defaultLimits.errorMessageCharacters),
    retryable: outcome.retryable,
    run_ms: rounded(outcome.runMs, 1e3),
    cpu_seconds: rounded(outcome.cpuSeconds, 1e6),
    ...(outcome.errorStack === undefined ? {} : { error_stack: outcome.errorStack }),
    ...(outcome.output === undefined ? {} : { output: outcome.output }),
  };
}

/** As the coordinator takes it. What is no JSON would spoil its whole frame, over and over. */
const mostMeasured = 1e12;

function rounded(value: number, unitsPerOne: number): number {
  if (!Number.isFinite(value)) return 0;
  return Math.round(Math.min(value, mostMeasured) * unitsPerOne) / unitsPerOne;
}
