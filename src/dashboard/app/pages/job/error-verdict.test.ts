import { expect, test } from 'vitest';
import type { JobErrors } from '../../../../protocol/resources.ts';
import { retryWarning, verdictOf, whereOf } from './error-verdict.ts';

const kind = (
  attempts: number,
  tasks: number,
  workers: number,
  type = 'TypeError',
  completed_elsewhere: readonly number[] = [],
) => ({ type, attempts, tasks, workers, completed_elsewhere });

test('what fails wherever it is tried is a matter of the inputs', () => {
  expect(verdictOf(kind(27, 9, 11))).toMatch(/^fails everywhere/);
  expect(verdictOf(kind(3, 1, 3))).toMatch(/^one input fails on every device/);
});

test('what fails at one device only is a matter of the device once others complete it', () => {
  expect(verdictOf(kind(8, 8, 1, 'TypeError', [3]))).toBe(
    'on one device only, and others completed the same: look at the device',
  );
  // Each was tried once: nobody knows what it would have come to elsewhere.
  expect(verdictOf(kind(7, 7, 1))).toMatch(/^no other device has tried them/);
  expect(verdictOf(kind(1, 1, 1))).toMatch(/too little to tell/);
});

test('what failed once here and once there is neither', () => {
  expect(verdictOf(kind(10, 9, 3))).toMatch(/^some of both/);
});

test('time-outs are told as such, wherever they were', () => {
  expect(verdictOf(kind(11, 3, 1, 'attempt_timeout'))).toMatch(/time limit/);
  expect(verdictOf(kind(11, 3, 5, 'progress_timeout'))).toMatch(/no progress/);
});

test('inputs and devices are counted', () => {
  expect(whereOf(kind(1, 1, 1))).toBe('1 input, on 1 device');
  expect(whereOf(kind(27, 9, 11))).toBe('9 inputs, on 11 devices');
});

test('a retry of what fails on every device is warned of', () => {
  const errors = (...kinds: readonly object[]) => ({ kinds }) as JobErrors;
  const everywhere = kind(21, 7, 5);
  expect(retryWarning(errors(everywhere), 7)).toBe(
    'they fail on every device: look at the inputs first',
  );
  expect(retryWarning(errors(everywhere), 9)).toMatch(/^7 of them fail on/);
  expect(retryWarning(errors(kind(3, 1, 3)), 1)).toMatch(/^it fails on/);
  expect(retryWarning(errors(kind(8, 8, 1)), 8)).toBeNull();
  expect(retryWarning(errors(kind(9, 3, 3, 'attempt_timeout')), 3)).toBeNull();
  expect(retryWarning(null, 7)).toBeNull();
});
