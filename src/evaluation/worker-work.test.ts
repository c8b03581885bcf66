import { expect, test } from 'vitest';
import { work } from './testing/works.ts';
import { type KnownWorker, sumWork, workersOf } from './worker-work.ts';

test('workers that were online at some moment of the period count, in order of registration', () => {
  const known = [
    worker(4, 100, 300),
    worker(1, 0, 99),
    worker(2, 0, 100),
    worker(3, 200, 900),
    worker(5, 201, 900),
  ];
  const lines = workersOf({ from: 100, to: 200 }, known, []);
  expect(lines.map((line) => line.workerId)).toEqual(['w2', 'w3', 'w4']);
  expect(lines[0]).toEqual(work('w2'));
});

test('a worker that did something in the period counts, whatever is known of its time', () => {
  const counted = work('w1', { completed: 3 });
  const known = [{ ...worker(1, 0, 0), type: 'android_kotlin', activeTasks: 2 }];
  const [line] = workersOf({ from: 100, to: 200 }, known, [counted]);
  expect(line).toEqual(work('w1', { type: 'android_kotlin', activeTasks: 2, completed: 3 }));
});

test('a worker that is known twice counts once', () => {
  const known = [worker(1, 0, 200), worker(2, 0, 200), worker(1, 0, 150)];
  const lines = workersOf({ from: 0, to: 200 }, known, [work('w1', { completed: 1 })]);
  expect(lines.map((line) => [line.workerId, line.completed])).toEqual([
    ['w1', 1],
    ['w2', 0],
  ]);
});

test('work of a worker that nobody knows is not lost', () => {
  const lines = workersOf({ from: 0, to: 1 }, [], [work('w9', { completed: 1 })]);
  const unknown = { isRegistered: false, type: 'unknown', platform: 'unknown' };
  expect(lines).toEqual([work('w9', { completed: 1, ...unknown })]);
});

test('a removed worker counts only where it completed or failed something', () => {
  const removed = (key: number, name: string) => ({
    ...worker(key, 0, 200),
    name,
    isRegistered: false,
  });
  const known = [worker(1, 0, 200), removed(2, 'idle'), removed(3, 'busy'), removed(4, 'beaten')];
  const counted = [
    work('w1', { completed: 4 }),
    work('w3', { failed: 1 }),
    work('w4', { wastedMs: 5 }),
  ];
  const lines = workersOf({ from: 0, to: 200 }, known, counted);
  expect(lines.map(({ workerId, name, isRegistered }) => [workerId, name, isRegistered])).toEqual([
    ['w1', null, true],
    ['w3', 'busy', false],
  ]);
});

test('sums what workers did', () => {
  const works = [
    work('a', { completed: 1, failed: 2, retried: 1, completedMs: 10, busyMs: 30 }),
    work('b', { completed: 4, busyMs: 5, energyJoules: 0.5 }),
  ];
  expect(sumWork(works)).toEqual({
    completed: 5,
    failed: 2,
    retried: 1,
    completedMs: 10,
    busyMs: 35,
    energyJoules: 0.5,
    wastedMs: 0,
  });
});

function worker(key: number, registeredAt: number, onlineUntil: number): KnownWorker {
  const device = { name: null, isRegistered: true, type: 'pc', platform: 'linux' };
  return { id: `w${key}`, key, ...device, activeTasks: 0, registeredAt, onlineUntil };
}
