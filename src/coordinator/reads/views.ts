// Records and rows as the interface shows them.

import { isFinalJob } from '../../core/job-status.ts';
import type { NotifyTarget } from '../../core/notifications.ts';
import { adminOwner } from '../../core/owner.ts';
import type { JobRecord, JobSpec, TaskRecord } from '../../core/records.ts';
import { expiryOf } from '../../core/retention.ts';
import type { CoreSettings } from '../../core/settings.ts';
import { taskId } from '../../core/task-key.ts';
import { jobProgress } from '../../core/task-progress.ts';
import type { ToldAs } from '../../core/told-events.ts';
import type { JobOutlook } from '../../protocol/estimates.ts';
import type { JobDetail, JobStatus, JobSummary, TaskEntry } from '../../protocol/resources.ts';
import type { WorkerFailure } from '../../protocol/workers.ts';
import type { NotifyView } from '../../protocol/notifications.ts';
import { isDamaged } from '../../store/damage.ts';
import type { AttemptRow, DamagedTask, JobRow, TaskRow } from '../../store/rows.ts';
import { isoTime } from '../iso-time.ts';
import { endedOutlook } from '../rates/estimate.ts';
import { restoreJob } from '../writer/restore.ts';
import { chosenOptions } from './chosen-options.ts';

export function jobSummary(row: JobRow): JobSummary {
  const { spec } = row;
  return {
    id: spec.id,
    name: spec.name,
    status: row.status,
    task_count: spec.taskCount,
    created_at: isoTime(spec.createdAt),
    completed_at: row.completedAt === null ? null : isoTime(row.completedAt),
    client_id: spec.clientId,
    ...ownerOf(spec),
    held_since: row.heldAt === null ? null : isoTime(row.heldAt),
  };
}

/** Of a job at its end, as it is told. */
export function finishedSummary({ job, status, at }: ToldAs<'job_finished'>): JobSummary {
  const { spec } = job;
  return {
    id: spec.id,
    name: spec.name,
    status,
    task_count: spec.taskCount,
    created_at: isoTime(spec.createdAt),
    completed_at: isoTime(at),
    client_id: spec.clientId,
    ...ownerOf(spec),
    held_since: null,
  };
}

/** Where there is one owner, nobody is told of owners. */
function ownerOf({ owner }: JobSpec): Pick<JobSummary, 'owner'> {
  return owner === adminOwner ? {} : { owner };
}

export function jobHead(
  job: JobRecord,
  settings: CoreSettings,
  outlook: JobOutlook,
): Omit<JobDetail, 'tasks'> {
  const { spec, counts } = job;
  const expiry = expiryOf(settings, job);
  const { assigned, running, completed, failed, cancelled } = counts;
  const final = completed + failed + cancelled;
  return {
    id: spec.id,
    name: spec.name,
    status: job.status,
    task_count: spec.taskCount,
    created_at: isoTime(spec.createdAt),
    started_at: job.startedAt === null ? null : isoTime(job.startedAt),
    completed_at: job.completedAt === null ? null : isoTime(job.completedAt),
    client_id: spec.clientId,
    ...ownerOf(spec),
    held_since: job.heldAt === null ? null : isoTime(job.heldAt),
    priority: spec.priority,
    counts: {
      pending: spec.taskCount - assigned - running - final,
      assigned,
      running,
      completed,
      failed,
      cancelled,
    },
    progress: jobProgress(job),
    ...outlook,
    error: job.error,
    expires_at: expiry === Infinity ? null : isoTime(expiry),
    ...(spec.notify === null ? {} : { notify: spec.notify.map(notifyView) }),
    options: chosenOptions(spec),
    program_kind: spec.programKind,
    ...(spec.requirements?.hands?.includes('shared') === true ? { has_shared: true } : {}),
  };
}

function notifyView({ url, on, secret }: NotifyTarget): NotifyView {
  return { url: shownUrl(url), on, signed: secret !== null };
}

/** Behind `?` there may be what nobody else should know. */
export function shownUrl(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : `${url.slice(0, end)}?...`;
}

/** Of a job that is not in memory: it has ended. */
export function jobHeadOfRow(row: JobRow, settings: CoreSettings): Omit<JobDetail, 'tasks'> {
  return jobHead(restoreJob(row), settings, endedOutlook);
}

/** A stored task; what is only in memory (`running`) comes from the live record. */
export function taskEntry(jobId: string, row: TaskRow, live: TaskRecord | undefined): TaskEntry {
  return {
    id: taskId(jobId, row.index),
    index: row.index,
    status: live?.status === 'running' ? 'running' : row.status,
    worker_id: row.workerId,
    attempt: row.attempt,
    result_available: row.status === 'completed',
  };
}

/** A task without a row was never assigned. */
export function unassignedTask(jobId: string, index: number, jobStatus: JobStatus): TaskEntry {
  return {
    id: taskId(jobId, index),
    index,
    status: isFinalJob(jobStatus) ? 'cancelled' : 'pending',
    worker_id: null,
    attempt: 0,
    result_available: false,
  };
}

/** JSON text of a `TaskResult`; the stored value goes in as it is. */
export function resultText(jobId: string, row: TaskRow | DamagedTask): string {
  if (isDamaged(row)) return damagedResultText(jobId, row);
  const head = `{"index":${row.index},"task_id":"${taskId(jobId, row.index)}","status":"${row.status}"`;
  if (row.status === 'completed') return `${head},"value":${row.resultJson ?? 'null'}}`;
  const type = row.errorType ?? 'cancelled';
  const message = row.errorMessage ?? cancelledMessage;
  return `${head},"error":${JSON.stringify({ type, message })}}`;
}

/** A damaged result is not given out: for the reader the task has failed. */
function damagedResultText(jobId: string, { index, damage }: DamagedTask): string {
  const error = JSON.stringify({ type: 'store_damaged', message: damage });
  return `{"index":${index},"task_id":"${taskId(jobId, index)}","status":"failed","error":${error}}`;
}

export function cancelledResultText(jobId: string, index: number): string {
  const error = JSON.stringify({ type: 'cancelled', message: cancelledMessage });
  return `{"index":${index},"task_id":"${taskId(jobId, index)}","status":"cancelled","error":${error}}`;
}

const cancelledMessage = 'The task was cancelled with its job.';

export function workerFailure(row: AttemptRow): WorkerFailure {
  return {
    task_id: taskId(row.jobId, row.index),
    job_id: row.jobId,
    error_type: row.errorType,
    error_message: row.errorMessage,
    failed_at: isoTime(row.endedAt),
  };
}
