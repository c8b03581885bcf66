// What is believed of what a child says about its own work.

import { expect, test } from 'vitest';
import { doneFailure, doneResult, failureText } from '../sandbox/messages.ts';
import { type ChildAttempt, ChildAttempts } from './child-attempts.ts';
import { possibleRunMs, readOutcome } from './child-outcomes.ts';

/** Handed over at 1000 ms. */
function held(): ChildAttempt {
  const attempts = new ChildAttempts();
  const program = {
    jobId: 'job',
    kind: 'javascript',
    source: '',
    checkpointIntervalMs: null,
  } as const;
  const about = { key: 't1', owner: 'a', taskId: 't1', index: 0, attempt: 1 };
  const task = { ...about, inputJson: '1', stateJson: null, progress: 0, timeoutMs: null };
  attempts.add({ program, task, again: null }, 1, 1000, false);
  return attempts.first()!;
}

test('takes the times that a child has measured', () => {
  const outcome = readOutcome(held(), [1, doneResult, '7', 250, 0.2], 0, 2000);
  expect(outcome).toMatchObject({ type: 'result', runMs: 250, cpuSeconds: 0.2 });
});

test('takes no run time and no CPU time beyond the time since the task was handed over', () => {
  const result = readOutcome(held(), [1, doneResult, '7', 1e300, 1e300], 0, 2000);
  expect(result).toMatchObject({ type: 'result', runMs: 1000, cpuSeconds: 1 });
  const text = failureText('Error', 'no');
  const failure = readOutcome(held(), [1, doneFailure, text, 1001, 1.5], 0, 2000);
  expect(failure).toMatchObject({ type: 'failure', runMs: 1000, cpuSeconds: 1 });
});

test('is never negative, whatever the clock says', () => {
  expect(possibleRunMs(held(), 5, 999)).toBe(0);
});
