import { expect, test } from 'vitest';
import { fillOf, groupsOf, told, unwell, viewOf } from './devices.ts';
import { before, nowMs, workerOf } from './testing/cluster-facts.ts';

test.each([
  [1, 'slots'],
  [60, 'slots'],
  [61, 'cells'],
  [600, 'cells'],
  [601, 'counts'],
])('%d devices are shown as %s', (count, view) => {
  expect(viewOf(count)).toBe(view);
});

test('groups are by kind, and devices in them by name, numbers as numbers', () => {
  const names = ['pc 10', 'pc 2', 'Atlas'];
  const workers = [
    ...names.map((name) => workerOf({ id: name, name })),
    workerOf({ id: 'p', name: 'Pixel', type: 'android_node', status: 'offline' }),
  ];
  const groups = groupsOf(workers);
  expect(
    groups.map(({ kind, here, workers: own }) => [kind, here, own.map(({ name }) => name)]),
  ).toEqual([
    ['pc', 3, ['Atlas', 'pc 2', 'pc 10']],
    ['phone', 0, ['Pixel']],
  ]);
  expect(groups[1]!.byState.offline).toBe(1);
});

test('devices of one name have their places by their ids', () => {
  const same = ['b', 'a'].map((id) => workerOf({ id, name: 'desk' }));
  expect(groupsOf(same)[0]!.workers.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('a rest is no fault, silence is', () => {
  expect(unwell(workerOf({ rests_because: 'charging' }), nowMs)).toBeNull();
  expect(unwell(workerOf({ last_heartbeat: before(9) }), nowMs)).toBe('attention');
  expect(unwell(workerOf({ status: 'draining' }), nowMs)).toBe('draining');
  expect(unwell(workerOf({ status: 'draining', active_tasks: 0 }), nowMs)).toBe('out');
  expect(told(workerOf({ status: 'draining', active_tasks: 0 }), nowMs)).toContain(
    'out of service',
  );
});

test('all about a device is told in a line', () => {
  const worker = workerOf({ rests_because: 'charging', active_tasks: 0, slots: 1 });
  expect(told(worker, nowMs)).toBe('atlas: resting, only while charging, 0 of 1 slot at work');
});

test.each([
  [0, 16, 0],
  [1, 16, 1],
  [8, 16, 3],
  [15, 16, 5],
  [16, 16, 5],
  [0, 0, 0],
])('%d of %d slots fill %d fifths', (active_tasks, slots, fifths) => {
  expect(fillOf(workerOf({ active_tasks, slots }))).toBe(fifths);
});
