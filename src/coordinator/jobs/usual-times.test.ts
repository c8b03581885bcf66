import { expect, test } from 'vitest';
import type { JobSpec } from '../../core/records.ts';
import { jobSpec } from '../../core/testing/job-spec.ts';
import type { ToldEvent } from '../../core/told-events.ts';
import { UsualTimes } from './usual-times.ts';

function ended(id: string, smoothedTaskMs: number | null): ToldEvent[] {
  const job = { spec: jobSpec({ id, key: 1 }) };
  const counts = { completed: 2, failed: 0, cancelled: 0 };
  return [{ type: 'job_finished', job, status: 'completed', ...counts, smoothedTaskMs, at: 5 }];
}

function spec(id: string, given: Partial<JobSpec> = {}) {
  return jobSpec({ id, key: 1, taskCount: 2, ...given });
}

test('presumes of a program what the job before took, whichever ended last', () => {
  const times = new UsualTimes();
  expect(times.presume(spec('a'), 'sha')).toBe(null);
  expect(times.presume(spec('b'), 'sha')).toBe(null);
  times.observe(ended('a', 3));
  expect(times.presume(spec('c'), 'sha')).toBe(3);
  times.observe(ended('b', 8));
  expect(times.presume(spec('d'), 'sha')).toBe(8);
});

test('knows nothing of another program or of another owner, and learns nothing from a job without a result', () => {
  const times = new UsualTimes();
  times.presume(spec('a'), 'sha');
  times.observe(ended('a', 3));
  expect(times.presume(spec('b'), 'other')).toBe(null);
  expect(times.presume(spec('c', { owner: 'ann' }), 'sha')).toBe(null);
  times.presume(spec('d'), 'sha');
  times.observe(ended('d', null));
  expect(times.presume(spec('e'), 'sha')).toBe(3);
});

test('presumes nothing of a job of one task, but learns from it', () => {
  const times = new UsualTimes();
  times.presume(spec('a', { taskCount: 1 }), 'sha');
  times.observe(ended('a', 3));
  expect(times.presume(spec('b', { taskCount: 1 }), 'sha')).toBe(null);
  expect(times.presume(spec('c'), 'sha')).toBe(3);
});

test('forgets the programs that were measured longest ago, and jobs that were deleted', () => {
  const times = new UsualTimes();
  for (let i = 0; i <= 1_000; i++) {
    times.presume(spec(`j${i}`), `sha-${i}`);
    times.observe(ended(`j${i}`, i));
  }
  expect(times.presume(spec('a'), 'sha-0')).toBe(null);
  expect(times.presume(spec('b'), 'sha-1')).toBe(1);
  times.observe([{ type: 'job_deleted', job: { spec: spec('b') }, because: 'asked', at: 5 }]);
  times.observe(ended('b', 77));
  expect(times.presume(spec('c'), 'sha-1')).toBe(1);
});
