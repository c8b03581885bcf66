import { expect, test } from 'vitest';
import type { AttemptOfHistory as Attempt } from '../../../../protocol/evaluation.ts';
import { repeatsOf, stragglersOf, taskTimes } from './task-times.ts';

const second = (value: number): string => new Date(1_000 * value).toISOString();
const attempt = (status: Attempt['status'], from: number, to: number | null): Attempt => ({
  job_id: 'job',
  task_id: 'task',
  index: from,
  attempt: 1,
  worker_id: 'atlas',
  slot: 0,
  status,
  assigned_at: second(from),
  started_at: second(from),
  ended_at: to === null ? null : second(to),
  progress: 0,
  resumed_from_progress: null,
  resumed_from_attempt: null,
  checkpoints: 0,
  error_type: null,
});

test('the time of a task is told from five completed attempts on', () => {
  const four = [1, 2, 3, 4].map((length) => attempt('completed', 0, length));
  expect(taskTimes(four)).toEqual({ count: 4, median: null, p95: null });
  const five = [...four, attempt('completed', 0, 20), attempt('failed', 0, 100)];
  expect(taskTimes(five)).toEqual({ count: 5, median: 3, p95: 20 });
});

test('a straggler runs for more than four times the median', () => {
  const usual = [1, 2, 3, 4, 5].map((at) => attempt('completed', at, at + 2));
  const runs = [attempt('running', 90, null), attempt('running', 93, null)];
  expect(stragglersOf([...usual, ...runs], 100_000).map(({ index }) => index)).toEqual([90]);
  expect(stragglersOf(runs, 100_000)).toEqual([]);
});

test('a device that always takes long is no straggler: it is held against what is usual there', () => {
  const on = (worker: string, all: readonly Attempt[]) =>
    all.map((each) => ({ ...each, worker_id: worker }));
  const quick = on(
    'atlas',
    [1, 2, 3, 4, 5, 6, 7].map((at) => attempt('completed', at, at + 2)),
  );
  const slow = on(
    'phone',
    [1, 2, 3, 4, 5].map((at) => attempt('completed', at, at + 6)),
  );
  const runs = on('phone', [attempt('running', 90, null), attempt('running', 70, null)]);
  expect(stragglersOf([...quick, ...slow, ...runs], 100_000).map(({ index }) => index)).toEqual([
    70,
  ]);
  expect(stragglersOf([...quick, ...runs], 100_000)).toHaveLength(2);
});

test('what was for nothing is a share of the time, not of the attempts', () => {
  const attempts = [
    attempt('completed', 0, 30),
    attempt('failed', 0, 5),
    attempt('lost', 0, 5),
    attempt('running', 0, null),
  ];
  expect(repeatsOf(attempts)).toEqual({ attempts: 2, share: 0.25 });
  expect(repeatsOf([])).toEqual({ attempts: 0, share: 0 });
});
