import { expect, test } from 'vitest';
import type { JobHead } from '../../store/cluster.ts';
import { anyJob, nextJob, waitingJobs } from './next-job.ts';

const job = (id: string, pending: number, more: Partial<JobHead> = {}): JobHead =>
  ({ id, status: 'running', held_since: null, counts: { pending }, ...more }) as JobHead;

test('the longest queue stands first, and what is held, ended or has none is left out', () => {
  const jobs = [
    job('short', 3),
    job('long', 9),
    job('held', 99, { held_since: '2026-05-04T09:00:00.000Z' }),
    job('ended', 99, { status: 'completed' }),
    job('none', 0),
  ];
  const waiting = waitingJobs(jobs);
  expect(waiting.map(({ id }) => id)).toEqual(['long', 'short']);
  expect(nextJob(waiting, null)?.id).toBe('long');
  expect(nextJob(waiting, 'short')?.id).toBe('short');
  expect(nextJob(waiting, 'gone')?.id).toBe('long');
  expect(nextJob(waiting, anyJob)).toBe(null);
  expect(nextJob([], null)).toBe(null);
});
