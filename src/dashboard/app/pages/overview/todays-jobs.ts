// The jobs that the page shows: open ones, then those that ended today.

import type { JobHead } from '../../store/cluster.ts';
import { isOpen } from '../../store/job-share.ts';

export interface TodaysJobs {
  readonly open: number;
  readonly ended: number;
  /** At most a dozen: all are on their own page. */
  readonly jobs: readonly JobHead[];
}

const mostShown = 12;

/** `now`: today is the day that it lies in, where whoever looks is. */
export function todaysJobs(jobs: readonly JobHead[], now: Date): TodaysJobs {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const open = jobs.filter(isOpen);
  const ended = jobs
    .filter(({ completed_at: end }) => end !== null && Date.parse(end) >= midnight)
    .toSorted((a, b) => (a.completed_at! < b.completed_at! ? 1 : -1));
  return {
    open: open.length,
    ended: ended.length,
    jobs: [...open, ...ended].slice(0, mostShown),
  };
}
