// What becomes of the attempts that a child held when it ended.

import type { AttemptKey, ExecutorOutcome } from '../executor.ts';
import type { HeldAttempt, Queued } from './held-attempts.ts';
import { gaveWay } from './outcomes.ts';
import type { Child } from './sandbox-child.ts';

export interface Aftermath {
  readonly outcomes: readonly ExecutorOutcome[];
  /** Nothing is known against these: they had not begun. */
  readonly returned: readonly AttemptKey[];
  /** The one that ran, when another job may have been the cause; or that was about to run again. */
  readonly again: Queued | null;
}

export function aftermathOf(
  child: Child,
  held: readonly HeldAttempt[],
  memoryLimitMb: number,
): Aftermath {
  const outcomes: ExecutorOutcome[] = [];
  const returned: AttemptKey[] = [];
  let again: Queued | null = null;
  const running = child.position();
  for (const attempt of held) {
    const { stop, task } = attempt;
    if (attempt.number === running) {
      if (isDoubtful(attempt)) again = secondTryOf(attempt);
      else outcomes.push(describeEnd(child, attempt, memoryLimitMb));
    } else if (stop !== null && stop !== 'deadline') {
      outcomes.push({ type: 'stopped', key: task.key, reason: stop });
    } else if (attempt.isSecondTry) again = secondTryOf(attempt);
    else returned.push(task.key);
  }
  return { outcomes, returned, again };
}

/**
 * Memory that another job left behind, or what it broke in the engine, may have ended the child. One
 * that was told to stop gets no second try: nobody waits for its result.
 */
function isDoubtful({ isShared, stop }: HeldAttempt): boolean {
  return isShared && stop === null;
}

function secondTryOf(attempt: HeldAttempt): Queued {
  const { program, task, sequence, isStarted, isUnsaved, checkpoint } = attempt;
  return {
    program,
    task: checkpoint === null ? task : { ...task, ...checkpoint },
    again: { sequence, isStarted, isUnsaved },
  };
}

function describeEnd(child: Child, held: HeldAttempt, memoryLimitMb: number): ExecutorOutcome {
  const runMs = performance.now() - (held.seenAt ?? held.handedAt);
  // A killed process cannot say what it used; an attempt that had to be killed was mostly busy.
  const measured = { runMs, cpuSeconds: runMs / 1000 };
  if (child.endCause === 'stopped') return gaveWay(held, measured);
  const { key } = held.task;
  const isOutOfMemory =
    child.endCause === 'out_of_memory' || /heap out of memory|Allocation failed/.test(child.output);
  const lastWords = child.output.trim().split('\n').at(-1) ?? '';
  const failure = isOutOfMemory
    ? {
        errorType: 'out_of_memory',
        errorMessage: `the task took more than ${memoryLimitMb} MB and was ended`,
      }
    : {
        errorType: 'sandbox_crashed',
        errorMessage: `the sandbox ended by itself: ${child.endedBy} ${lastWords}`.trim(),
      };
  return { type: 'failure', key, ...failure, retryable: true, ...measured };
}
