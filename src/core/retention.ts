// How long a job is kept that has ended: as long as it says itself, or as long as all are that say
// nothing. A number of jobs that is kept at most stands above both.

import { isFinalJob } from './job-status.ts';
import type { JobRecord, JobSpec } from './records.ts';
import type { CoreSettings } from './settings.ts';
import type { State } from './state.ts';

type Keeping = Pick<CoreSettings, 'keepMs'>;

/** From then on it may be removed; Infinity: by nobody but a client. */
export function keptUntil(
  { keepMs }: Keeping,
  { retainMs }: Pick<JobSpec, 'retainMs'>,
  completedAt: number | null,
): number {
  const keptMs = retainMs ?? keepMs;
  return completedAt === null || keptMs === null ? Infinity : completedAt + keptMs;
}

/** The same of a record; it is not kept for an end when it goes on. */
export function expiryOf(settings: Keeping, job: JobRecord): number {
  return isFinalJob(job.status) ? keptUntil(settings, job.spec, job.completedAt) : Infinity;
}

/** By how many there are more jobs that have ended than are kept. */
export function surplusOf({ settings, counters }: State): number {
  if (settings.keepJobs === null) return 0;
  const { completedJobs, failedJobs, cancelledJobs } = counters;
  return Math.max(0, completedJobs + failedJobs + cancelledJobs - settings.keepJobs);
}
