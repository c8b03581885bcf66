import { expect, test } from 'vitest';
import { shareDone, shareOf } from './job-share.ts';

const none = { pending: 0, assigned: 0, running: 0, completed: 0, failed: 0, cancelled: 0 };

test('counts what runs while something is open, and is never whole before the last task is', () => {
  const counts = { ...none, running: 1, completed: 1 };
  expect(shareOf({ counts, progress: 0.75, task_count: 2 })).toBe(0.75);
  expect(shareOf({ counts, progress: 1, task_count: 2 })).toBe(0.999);
});

test('of a job that ended only what completed is done', () => {
  const failed = { ...none, completed: 88, failed: 9 };
  expect(shareDone({ counts: failed, progress: 1, task_count: 97 })).toBe('90.7\u202f%');
  const cancelled = { ...none, completed: 1, cancelled: 3 };
  expect(shareOf({ counts: cancelled, progress: 1, task_count: 4 })).toBe(0.25);
});

test('a job without tasks is at its end', () => {
  expect(shareOf({ counts: none, progress: 0, task_count: 0 })).toBe(1);
});
