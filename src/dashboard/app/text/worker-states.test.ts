import { expect, test } from 'vitest';
import { stateInWords, stateOf } from './worker-states.ts';

test('one that drains is out of service once it has nothing left, and in words', () => {
  expect(stateOf({ status: 'draining', active_tasks: 1 })).toBe('draining');
  expect(stateOf({ status: 'draining', active_tasks: 0 })).toBe('out');
  expect(stateOf({ status: 'busy', active_tasks: 0 })).toBe('busy');
  expect(stateInWords('out')).toBe('out of service');
  expect(stateInWords('quarantined')).toBe('quarantined');
});
