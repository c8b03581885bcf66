// How a stored row reads, in one place for every store. Job-wide commands
// write the job only; the rows of its tasks stay as they were and are read through the job.

import { isFinalJob } from '../core/job-status.ts';
import type { TaskStatus } from '../core/records.ts';
import { isFinalTask } from '../core/task-status.ts';
import type { BlobRow, JobRow, RecoveryRow, TaskRow } from './rows.ts';

export type StoredStatus = Exclude<TaskStatus, 'running'>;

/** The part of a job that decides how the rows of its tasks read. */
export type JobView = Pick<JobRow, 'status' | 'completedAt' | 'cancelledAt'>;

/** No task of the job will run any more, except after a `retry`. */
export function isClosed(job: JobView): boolean {
  return job.cancelledAt !== null || isFinalJob(job.status);
}

/** A task of a closed job that is not final was cancelled with the job; its tokens are revoked. */
export function seenThrough(job: JobView, row: TaskRow): TaskRow {
  if (isFinalTask(row.status) || !isClosed(job)) return row;
  const completedAt = job.cancelledAt ?? job.completedAt;
  return { ...row, status: 'cancelled', token: null, others: [], runBeforeMs: null, completedAt };
}

/** Which stored statuses read as `status` in this job. */
export function storedAs(job: JobView, status: StoredStatus): readonly StoredStatus[] {
  if (!isClosed(job)) return [status];
  if (status === 'cancelled') return ['pending', 'assigned', 'cancelled'];
  return isFinalTask(status) ? [status] : [];
}

/** A recovery event to which something is still to be added while its job is open. */
export function isUnfinished({
  outcome,
  resumedAt,
}: Pick<RecoveryRow, 'outcome' | 'resumedAt'>): boolean {
  if (outcome === 'requeued') return true;
  return resumedAt === null && (outcome === 'resumed' || outcome === 'restarted');
}

/** What a row counts against the byte bound of `listResults`, roughly its size on the wire. */
export function resultBytes(row: TaskRow): number {
  return (row.resultJson?.length ?? 0) + (row.errorMessage?.length ?? 0) + 256;
}

/** Whether a touch is worth a write. It is not within a minute of the one before. */
export function needsTouch({ touchedAt }: Pick<BlobRow, 'touchedAt'>, at: number): boolean {
  return at - touchedAt >= 60_000;
}
