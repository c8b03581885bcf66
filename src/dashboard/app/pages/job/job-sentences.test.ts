import { expect, test } from 'vitest';
import type { JobHead } from '../../store/cluster.ts';
import {
  endsIn,
  estimateOf,
  headingOf,
  likely,
  lossOfCancel,
  paceTime,
  retryText,
} from './job-sentences.ts';

const none = { pending: 0, assigned: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };
const eta = { seconds: null, low: null, high: null, method: 'Told by nothing.', reason: null };
const head = (more: Partial<JobHead>): JobHead => ({
  id: '01a2000d-0000-7000-8000-000000000000',
  name: 'docking',
  status: 'running',
  task_count: 10,
  created_at: '2026-05-04T09:00:00.000Z',
  started_at: null,
  completed_at: null,
  client_id: 'noor',
  held_since: null,
  priority: 0,
  counts: none,
  progress: 0,
  error: null,
  expires_at: null,
  rate_per_second: null,
  eta,
  ...more,
});
const heading = (more: Partial<JobHead>): string => {
  const { strong, rest } = headingOf(head(more));
  return `${strong}${rest}`.replaceAll('\u202f', ' ');
};

test('a job that runs says how far it is and when it ends', () => {
  const counts = { ...none, pending: 4, running: 1, completed: 4, failed: 1 };
  const runs = { counts, progress: 0.5 };
  expect(heading(runs)).toBe('docking is at 50.0 %: 1 task runs, 4 wait. 1 task failed.');
  expect(heading({ ...runs, eta: { ...eta, seconds: 600, low: 480, high: 780 } })).toBe(
    'docking is at 50.0 % and ends in about 10 min. 1 task failed.',
  );
});

test('a job that is held or waits for all says so', () => {
  const counts = { ...none, pending: 10 };
  expect(heading({ counts, held_since: '2026-05-04T09:00:00.000Z' })).toBe(
    'docking is at 0 %, and held: nothing new starts.',
  );
  expect(heading({ counts, status: 'pending' })).toBe(
    'docking is at 0 %: nothing of it runs, 10 wait.',
  );
});

test('a job that has ended says what came of it, and how long it took', () => {
  const completed_at = '2026-05-04T09:04:12.000Z';
  expect(heading({ status: 'completed', completed_at, counts: { ...none, completed: 10 } })).toBe(
    'docking completed 10 tasks in 4 min 12 s.',
  );
  expect(
    heading({ status: 'failed', completed_at, counts: { ...none, completed: 8, failed: 2 } }),
  ).toBe('2 tasks failed of 10 in docking, 8 completed in 4 min 12 s.');
  expect(heading({ status: 'failed', completed_at, counts: { ...none, failed: 10 } })).toBe(
    'All 10 tasks of docking failed in 4 min 12 s.',
  );
  expect(heading({ status: 'cancelled', counts: { ...none, completed: 3, cancelled: 7 } })).toBe(
    'docking was cancelled with 3 of 10 tasks completed.',
  );
});

test('an empty job is completed, and one of one task is told in the singular', () => {
  expect(heading({ task_count: 0, status: 'completed' })).toBe(
    'docking has no tasks: an empty job is completed.',
  );
  expect(heading({ task_count: 1, status: 'failed', counts: { ...none, failed: 1 } })).toBe(
    'Its one task failed.',
  );
});

test('the likely end has its unit once', () => {
  const told = (seconds: number, low: number, high: number) =>
    likely({ eta: { ...eta, seconds, low, high } })?.replaceAll('\u202f', ' ');
  expect(told(600, 480, 780)).toBe('8–13 min');
  expect(told(60, 40, 120)).toBe('40 s to 2 min');
  expect(told(600, 590, 610)).toBeUndefined();
  expect(likely({ eta })).toBeNull();
});

test('an end that cannot be told says why', () => {
  expect(endsIn({ eta })).toBeNull();
  expect(estimateOf({ eta: { ...eta, reason: 'Fewer than 20 tasks completed.' } })).toBe(
    'Fewer than 20 tasks completed.',
  );
});

test('what a cancel costs is counted', () => {
  const counts = { ...none, pending: 5, running: 1, assigned: 1, completed: 3 };
  expect(lossOfCancel({ counts })).toEqual(
    [
      '5 tasks wait and will not start.',
      '2 tasks run and will be stopped: that work is lost.',
      '3 results stay.',
    ].map((line) => line.replace(/^(\d) /, '$1 ')),
  );
  expect(retryText(counts)).toBeNull();
  expect(retryText({ ...none, failed: 12 })).toBe('Retry 12 failed');
});

test('the pace of a job younger than a minute is of no whole minute', () => {
  const young = { created_at: '2026-05-04T09:00:00.000Z', started_at: '2026-05-04T09:30:00.000Z' };
  const began = Date.parse(young.started_at);
  expect(paceTime(young, began + 8_000)).toBe('since it began');
  expect(paceTime(young, began + 60_000)).toBe('last minute');
});
