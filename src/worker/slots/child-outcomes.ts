// Makes the outcome of an attempt from what its child reported.

import type { ExecutorOutcome } from '../executor.ts';
import {
  doneAgain,
  doneBytes,
  doneFinalFailure,
  doneResult,
  doneStopped,
  type OutcomeField,
} from '../sandbox/messages.ts';
import type { ChildAttempt } from './child-attempts.ts';

/** No child that is honest says so. */
const leftNothing = {
  errorType: 'sandbox_crashed',
  errorMessage: 'the sandbox asked to run it again, and has left no checkpoint',
  retryable: true,
} as const;

/** A child that was taken over may say anything. */
const longestStack = 4000;

/** Reads the fields of one outcome from a `done` message, which has come at `nowMs`. */
export function readOutcome(
  held: ChildAttempt,
  items: readonly OutcomeField[],
  at: number,
  nowMs: number,
): ExecutorOutcome {
  const { key } = held.task;
  const kind = items[at + 1];
  const value = items[at + 2];
  const runMs = possibleRunMs(held, items[at + 3] as number, nowMs);
  const cpuSeconds = possibleRunMs(held, (items[at + 4] as number) * 1000, nowMs) / 1000;
  const measured = { runMs, cpuSeconds };
  if (kind === doneBytes) {
    return { type: 'result', key, valueJson: 'null', valueBytes: value as Uint8Array, ...measured };
  }
  const text = value as string;
  if (kind === doneResult) return { type: 'result', key, valueJson: text, ...measured };
  if (kind === doneStopped || (kind === doneAgain && held.stop !== null)) {
    return gaveWay(held, measured);
  }
  if (kind === doneAgain) return { type: 'failure', key, ...leftNothing, ...measured };
  const retryable = kind !== doneFinalFailure;
  return { type: 'failure', key, ...readError(text), retryable, ...measured };
}

/** It cannot have run for longer than it was there: what a child says goes into sums and into what others learn. */
export function possibleRunMs({ handedAt }: ChildAttempt, saidMs: number, nowMs: number): number {
  return Math.min(saidMs, Math.max(0, nowMs - handedAt));
}

/** Reads what `failureText` has written. */
function readError(text: string) {
  const lineEnd = text.indexOf('\n');
  const [errorType = '', length] = text.slice(0, Math.max(0, lineEnd)).split(' ');
  const messageAt = lineEnd + 1 + (Number(length) || 0);
  const errorStack = text.slice(lineEnd + 1, messageAt).slice(0, longestStack);
  const errorMessage = text.slice(messageAt);
  return { errorType, errorMessage, ...(errorStack === '' ? {} : { errorStack }) };
}

/** The outcome with what the attempt has printed, if that is to be kept. */
export function withOutput(held: ChildAttempt, outcome: ExecutorOutcome): ExecutorOutcome {
  const { output, program } = held;
  if (output === null || outcome.type === 'stopped') return outcome;
  if (outcome.type === 'result' && program.keepOutput !== 'always') return outcome;
  if (program.keepOutput === 'never') return outcome;
  return { ...outcome, output: output.text() };
}

interface Measured {
  readonly runMs: number;
  readonly cpuSeconds: number;
}

/**
 * The outcome of an attempt that ended because it was told to stop, or had reached its deadline.
 */
export function gaveWay(held: ChildAttempt, measured: Measured): ExecutorOutcome {
  const { key, timeoutMs } = held.task;
  if (held.stop !== null && held.stop !== 'deadline') {
    return { type: 'stopped', key, reason: held.stop };
  }
  const errorMessage = `still running after ${timeoutMs} ms`;
  const failure = { errorType: 'attempt_timeout', errorMessage, retryable: true };
  return { type: 'failure', key, ...failure, ...measured };
}
