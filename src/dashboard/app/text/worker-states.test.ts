import { expect, test } from 'vitest';
import { stateInWords, stateOf } from './worker-states.ts';

test('one that is here and rests is resting, whatever it still ends', () => {
  const rest = { active_tasks: 0, rests_because: 'charging' };
  expect(stateOf({ ...rest, status: 'online' })).toBe('resting');
  expect(stateOf({ ...rest, status: 'busy', active_tasks: 1 })).toBe('resting');
  expect(stateOf({ ...rest, status: 'offline' })).toBe('offline');
  expect(stateOf({ ...rest, status: 'draining' })).toBe('out');
  expect(stateOf({ ...rest, status: 'online', rests_because: null })).toBe('online');
});

test('one that drains is out of service once it has nothing left, and in words', () => {
  expect(stateOf({ status: 'draining', active_tasks: 1 })).toBe('draining');
  expect(stateOf({ status: 'draining', active_tasks: 0 })).toBe('out');
  expect(stateOf({ status: 'busy', active_tasks: 0 })).toBe('busy');
  expect(stateInWords('out')).toBe('out of service');
  expect(stateInWords('quarantined')).toBe('quarantined');
});
