// Makes the outcome of an attempt from what its child reported.

import type { ExecutorOutcome } from '../executor.ts';
import { doneFinalFailure, doneResult, doneStopped } from '../sandbox/messages.ts';
import type { ChildAttempt } from './child-attempts.ts';

/** Reads the fields of one outcome from a `done` message. */
export function readOutcome(
  held: ChildAttempt,
  items: readonly (string | number)[],
  at: number,
): ExecutorOutcome {
  const { key } = held.task;
  const kind = items[at + 1];
  const text = items[at + 2] as string;
  const measured = { runMs: items[at + 3] as number, cpuSeconds: items[at + 4] as number };
  if (kind === doneResult) return { type: 'result', key, valueJson: text, ...measured };
  if (kind === doneStopped) return gaveWay(held, measured);
  const lineEnd = text.indexOf('\n');
  const errorType = text.slice(0, Math.max(0, lineEnd));
  const errorMessage = text.slice(lineEnd + 1);
  const retryable = kind !== doneFinalFailure;
  return { type: 'failure', key, errorType, errorMessage, retryable, ...measured };
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
