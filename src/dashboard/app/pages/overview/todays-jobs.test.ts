import { expect, test } from 'vitest';
import { jobOf } from './testing/cluster-facts.ts';
import { todaysJobs } from './todays-jobs.ts';

const now = new Date(2026, 4, 4, 14);
const endedAt = (hour: number, id: string) =>
  jobOf({ id, status: 'completed', completed_at: new Date(2026, 4, 4, hour).toISOString() });

test('open jobs come first, then those that ended today, the last to end first', () => {
  const jobs = [
    endedAt(3, 'early'),
    jobOf({ id: 'open' }),
    endedAt(9, 'late'),
    endedAt(-1, 'before'),
  ];
  const { open, ended, jobs: shown } = todaysJobs(jobs, now);
  expect([open, ended]).toEqual([1, 2]);
  expect(shown.map(({ id }) => id)).toEqual(['open', 'late', 'early']);
});

test('a dozen are shown, and all are counted', () => {
  const many = Array.from({ length: 30 }, (_, place) => jobOf({ id: String(place) }));
  const { open, jobs } = todaysJobs(many, now);
  expect([open, jobs.length]).toEqual([30, 12]);
});
