import type { JobRecord } from '../records.ts';

/** Times in a story are told from the creation of the job on. */
export function sinceCreation(job: JobRecord): (at: number) => string {
  return (at) => offset(at - job.spec.createdAt);
}

export function offset(ms: number): string {
  return `${ms < 0 ? '-' : '+'}${(Math.abs(ms) / 1000).toFixed(3)} s`;
}
