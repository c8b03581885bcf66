// Decides what becomes of the attempts that a sandbox child held when it ended.

import type { AttemptKey, ExecutorOutcome } from '../executor.ts';
import { type ChildAttempt, type QueuedAttempt, spentMs } from './child-attempts.ts';
import { gaveWay, possibleRunMs, withOutput } from './child-outcomes.ts';
import type { Child } from './child.ts';

export interface Aftermath {
  readonly outcomes: readonly ExecutorOutcome[];
  /** Attempts that had not begun: they are not to blame for the end of the child. */
  readonly returned: readonly AttemptKey[];
  /**
   * The attempt that ran, if another job may have ended the child; and further tries that had not begun. In their
   * order.
   */
  readonly again: readonly QueuedAttempt[];
}

export function aftermathOf(child: Child, held: readonly ChildAttempt[]): Aftermath {
  const outcomes: ExecutorOutcome[] = [];
  const returned: AttemptKey[] = [];
  const again: QueuedAttempt[] = [];
  const running = child.position();
  for (const attempt of held) {
    const { stop, task } = attempt;
    if (attempt.number === running) {
      if (isDoubtful(child, attempt)) again.push(furtherTryOf(attempt, true));
      else outcomes.push(withOutput(attempt, describeEnd(child, attempt)));
    } else if (stop !== null && stop !== 'deadline') {
      outcomes.push({ type: 'stopped', key: task.key, reason: stop });
    } else if (attempt.again !== null) {
      again.push(furtherTryOf(attempt, attempt.again.isFirst, spentMs(attempt)));
    } else returned.push(task.key);
  }
  return { outcomes, returned, again };
}

/**
 * In a child that ran attempts of several jobs, another job may have caused its end: by memory that it
 * left behind, or by what it broke in the engine; and where children share a process, each of them. An attempt
 * that was told to stop gets no second try, because nobody waits for its result. A second try is in a child of
 * its own, but not always in a process of its own: it is the last.
 */
function isDoubtful(child: Child, { isShared, again, stop }: ChildAttempt): boolean {
  const isSecondTry = again?.isFirst === true;
  return (isShared || (child.hadCompany && !isSecondTry)) && stop === null;
}

/**
 * A guest has left a checkpoint and wants to be run again from there, charged to nobody. Null when it was told to
 * stop, has left none, or has used up its time: that ends it.
 */
export function continuedFrom(
  attempt: ChildAttempt,
  saidMs: number,
  nowMs: number,
): QueuedAttempt | null {
  if (attempt.stop !== null || attempt.checkpoint === null) return null;
  const seenMs = nowMs - (attempt.seenAt ?? nowMs);
  // A try takes a millisecond at least, whatever the child says: one that takes nothing could follow on another for ever.
  const ranMs = spentMs(attempt) + Math.max(1, seenMs, possibleRunMs(attempt, saidMs, nowMs));
  const { timeoutMs } = attempt.task;
  if (timeoutMs !== null && ranMs >= timeoutMs) {
    attempt.stop = 'deadline';
    return null;
  }
  return furtherTryOf(attempt, false, ranMs);
}

function furtherTryOf(attempt: ChildAttempt, isFirst: boolean, ranMs = 0): QueuedAttempt {
  const { program, task, sequence, isStarted, isUnsaved, checkpoint } = attempt;
  return {
    program,
    task: checkpoint === null ? task : { ...task, ...checkpoint },
    again: { isFirst, ranMs, sequence, isStarted, isUnsaved },
  };
}

function describeEnd(child: Child, held: ChildAttempt): ExecutorOutcome {
  const runMs = performance.now() - (held.seenAt ?? held.handedAt);
  // A killed process cannot report its CPU time; an attempt that had to be killed was mostly busy.
  const measured = { runMs, cpuSeconds: runMs / 1000 };
  if (child.endCause === 'stopped') return gaveWay(held, measured);
  const { key } = held.task;
  const isOutOfMemory =
    child.endCause === 'out_of_memory' || /heap out of memory|Allocation failed/.test(child.output);
  const lastWords = child.output.trim().split('\n').at(-1) ?? '';
  const failure = isOutOfMemory
    ? {
        errorType: 'out_of_memory',
        errorMessage: `the task took more than ${child.memoryLimitMb} MB and was ended (memory_mb of the job)`,
      }
    : {
        errorType: 'sandbox_crashed',
        errorMessage: `the sandbox ended by itself: ${child.endedBy} ${lastWords}`.trim(),
      };
  return { type: 'failure', key, ...failure, retryable: true, ...measured };
}
