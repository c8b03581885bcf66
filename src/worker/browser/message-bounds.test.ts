import { expect, test } from 'vitest';
import { MessageBounds } from './message-bounds.ts';

const limits = { resultLimitBytes: 64 * 1024 * 1024, stateLimitBytes: 1024 };

test('large results may come together, but not all the time', () => {
  const bounds = new MessageBounds(limits, 0);
  const text = 'x'.repeat(limits.resultLimitBytes);
  const faults = Array.from({ length: 20 }, (_, sent) =>
    bounds.faultOf(['output', 1, text], sent * 250),
  );
  expect(faults.slice(0, 4)).toEqual([null, null, null, null]);
  expect(faults).toContain('it sent more text than any task needs');
});

test('bytes count with all of the memory that came with them', () => {
  const bounds = new MessageBounds(limits, 0);
  const whole = new Uint8Array(limits.resultLimitBytes + 2 ** 20 + 1);
  expect(bounds.faultOf(['done', [1, 4, whole.slice(0, 9), 0, 0]], 0)).toBeNull();
  const fault = /^it sent a message of 68157445 characters/;
  expect(bounds.faultOf(['done', [1, 4, whole.subarray(0, 9), 0, 0]], 0)).toMatch(fault);
});

test('a large result each second is no flood', () => {
  const bounds = new MessageBounds(limits, 0);
  const text = 'x'.repeat(limits.resultLimitBytes);
  for (let second = 0; second < 100; second++) {
    expect(bounds.faultOf(['output', 1, text], second * 1000)).toBeNull();
  }
});
