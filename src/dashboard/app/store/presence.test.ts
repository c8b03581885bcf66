import { expect, test } from 'vitest';
import type { Worker } from './cluster.ts';
import { isHere, roomOf, takesTasks } from './presence.ts';

const device = (some: Partial<Worker> = {}) => ({
  status: 'online' as const,
  active_tasks: 0,
  slots: 4,
  draining: null,
  leaving: false,
  ...some,
});
const drained = { status: 'draining', draining: { since: null, deadline: null } } as const;

test('one that drains is here until it has nothing left', () => {
  expect(isHere(device({ ...drained, active_tasks: 1 }))).toBe(true);
  expect(isHere(device(drained))).toBe(false);
  expect(isHere(device({ status: 'quarantined' }))).toBe(true);
  expect(isHere(device({ status: 'offline' }))).toBe(false);
  expect(isHere(device({ status: 'waiting' }))).toBe(false);
});

test('tasks are given to who is here, is not shut, does not rest and is trusted', () => {
  const takes = (some: Partial<Worker>) =>
    takesTasks({ ...device(some), rests_because: some.rests_because ?? null });
  expect(takes({})).toBe(true);
  expect(takes({ status: 'busy' })).toBe(true);
  expect(takes({ rests_because: 'charging' })).toBe(false);
  expect(takes({ leaving: true })).toBe(false);
  expect(takes(drained)).toBe(false);
  expect(takes({ status: 'quarantined' })).toBe(false);
  expect(takes({ status: 'offline' })).toBe(false);
});

test('slots are those in which something is or could be', () => {
  const workers = [
    device({ active_tasks: 3 }),
    device({ ...drained, active_tasks: 1 }),
    device({ leaving: true, active_tasks: 2 }),
    device(drained),
    device({ status: 'offline', active_tasks: 4 }),
  ];
  expect(roomOf(workers)).toEqual({ here: 3, slots: 7, taken: 6 });
});

test('more than its slots nobody has at work', () => {
  expect(roomOf([device({ active_tasks: 9 })])).toEqual({ here: 1, slots: 4, taken: 4 });
});
