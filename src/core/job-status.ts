// A job's state is derived from its tasks; only a client's cancel comes first.

import type { JobRecord, JobStatus } from './records.ts';

/** First match wins, in the order of the table in `docs/reference/states.md`. */
export function deriveJobStatus(job: JobRecord): JobStatus {
  const { counts, cancelledAt } = job;
  if (cancelledAt !== null) return 'cancelled';
  if (counts.assigned + counts.running > 0) return 'running';
  if (pendingCount(job) > 0) return job.startedAt === null ? 'pending' : 'running';
  if (counts.failed > 0) return 'failed';
  if (counts.cancelled > 0) return 'cancelled';
  return 'completed';
}

export function pendingCount(job: JobRecord): number {
  const { assigned, running, completed, failed, cancelled } = job.counts;
  return job.spec.taskCount - assigned - running - completed - failed - cancelled;
}

/** Those that have not ended. */
export function openTaskCount({ counts, spec }: JobRecord): number {
  return spec.taskCount - counts.completed - counts.failed - counts.cancelled;
}

/** Only a retry takes a job out of a final status. */
export function isFinalJob(status: JobStatus): boolean {
  return status !== 'pending' && status !== 'running';
}
