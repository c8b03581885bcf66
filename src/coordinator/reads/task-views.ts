// One task, its attempts and what befell it, as the interface shows them. What memory has of a task that
// is live goes before its row.

import type { AttemptRecord, JobRecord, TaskRecord } from '../../core/records.ts';
import { taskId } from '../../core/task-key.ts';
import type {
  AttemptEntry,
  RecoveryEvent,
  TaskDetail,
  TaskEntry,
} from '../../protocol/resources.ts';
import type { AttemptRow, CheckpointRow, RecoveryRow, TaskRow } from '../../store/rows.ts';
import { isoTime } from '../iso-time.ts';
import { checkpointResource } from '../workers/resume-points.ts';
import * as views from './views.ts';

export function taskDetail(
  job: JobRecord,
  index: number,
  row: TaskRow | undefined,
  ended: readonly AttemptRow[],
  live: TaskRecord | undefined,
  saved: readonly CheckpointRow[],
): TaskDetail {
  const { spec } = job;
  const entry: TaskEntry =
    row === undefined
      ? views.unassignedTask(spec.id, index, job.status)
      : views.taskEntry(spec.id, row, live);
  const running = live?.live[0];
  return {
    ...entry,
    job_id: spec.id,
    priority: spec.taskPriorities?.[index] ?? spec.priority,
    attempts: attemptEntries(row, ended, live?.live ?? []),
    assigned_at: timeOrNull(row?.assignedAt),
    started_at: timeOrNull(running?.startedAt ?? row?.startedAt),
    completed_at: timeOrNull(row?.completedAt),
    run_seconds: row === undefined || row.runMs === null ? null : row.runMs / 1000,
    progress: running === undefined ? null : running.progress,
    progress_message: running?.progressMessage ?? null,
    not_before: live !== undefined && live.notBefore > 0 ? isoTime(live.notBefore) : null,
    error: errorOf(row?.errorType, row?.errorMessage),
    checkpoints: saved.map(checkpointResource),
    result: parsed(row?.resultJson ?? null),
  };
}

function attemptEntries(
  row: TaskRow | undefined,
  ended: readonly AttemptRow[],
  live: readonly AttemptRecord[],
): readonly AttemptEntry[] {
  const entries = ended.map(endedEntry);
  for (const attempt of live) entries.push(liveEntry(attempt));
  if (row !== undefined && row.acceptedAttempt !== null && row.workerId !== null) {
    const accepted: AttemptEntry = {
      attempt: row.acceptedAttempt,
      count: 1,
      worker_id: row.workerId,
      status: 'completed',
      assigned_at: timeOrNull(row.assignedAt),
      started_at: timeOrNull(row.startedAt),
      ended_at: timeOrNull(row.completedAt),
      error: null,
    };
    // A late result was accepted: the attempt had been given up before, and has an entry.
    const place = entries.findIndex(
      ({ attempt, status }) => attempt === row.acceptedAttempt && status !== 'withdrawn',
    );
    if (place >= 0) entries[place] = accepted;
    else entries.push(accepted);
  }
  return entries.toSorted((a, b) => a.attempt - b.attempt);
}

function endedEntry(row: AttemptRow): AttemptEntry {
  return {
    attempt: Math.abs(row.attempt),
    count: row.count,
    worker_id: row.workerId,
    status: row.outcome,
    assigned_at: isoTime(row.assignedAt),
    started_at: timeOrNull(row.startedAt),
    ended_at: isoTime(row.endedAt),
    error: errorOf(row.errorType, row.errorMessage),
  };
}

function liveEntry(attempt: AttemptRecord): AttemptEntry {
  return {
    attempt: attempt.attempt,
    count: 1,
    worker_id: attempt.worker.id,
    status: attempt.startedAt === null ? 'assigned' : 'running',
    assigned_at: isoTime(attempt.assignedAt),
    started_at: timeOrNull(attempt.startedAt),
    ended_at: null,
    error: null,
  };
}

export function recoveryEvent(row: RecoveryRow): RecoveryEvent {
  return {
    id: String(row.id),
    job_id: row.jobId,
    task_id: taskId(row.jobId, row.index),
    task_index: row.index,
    from_worker_id: row.fromWorkerId,
    to_worker_id: row.toWorkerId,
    reason: row.reason,
    attempt: row.attempt,
    next_attempt: row.nextAttempt,
    checkpoint_id: row.checkpointId,
    resumed_from_progress: row.resumedFromProgress,
    lost_at: isoTime(row.lostAt),
    resumed_at: timeOrNull(row.resumedAt),
    work_saved_seconds: row.workSavedSeconds,
    time_lost_seconds: row.timeLostSeconds,
    outcome: row.outcome,
  };
}

function errorOf(type: string | null | undefined, message: string | null | undefined) {
  return typeof type === 'string' ? { type, message: message ?? '' } : null;
}

function timeOrNull(ms: number | null | undefined): string | null {
  return typeof ms === 'number' ? isoTime(ms) : null;
}

function parsed(json: string | null): unknown {
  return json === null ? null : JSON.parse(json);
}
