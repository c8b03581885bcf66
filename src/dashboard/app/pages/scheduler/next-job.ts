// Of which job the next tasks are: what a job requires decides who may take them.

import type { JobHead } from '../../store/cluster.ts';
import { isOpen } from '../../store/job-share.ts';

/** Of no job: any device may take them. */
export const anyJob = 'any';
const mostListed = 12;

/** Open jobs that wait for devices, the longest queue first. */
export function waitingJobs(jobs: readonly JobHead[]): readonly JobHead[] {
  return jobs
    .filter((job) => isOpen(job) && job.held_since === null && job.counts.pending > 0)
    .toSorted((a, b) => b.counts.pending - a.counts.pending)
    .slice(0, mostListed);
}

/** `chosen`: as the address has it; without a choice the one with the longest queue. Null: tasks of no job. */
export function nextJob(waiting: readonly JobHead[], chosen: string | null): JobHead | null {
  if (chosen === anyJob) return null;
  return waiting.find(({ id }) => id === chosen) ?? waiting[0] ?? null;
}
