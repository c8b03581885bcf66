// One task, its attempts and what befell it, as the interface shows them. What memory has of a task that
// is live goes before its row.

import type { AttemptRecord, JobRecord, TaskRecord } from '../../core/records.ts';
import { taskId } from '../../core/task-key.ts';
import type {
  AttemptEntry,
  RecoveryEvent,
  TaskDetail,
  TaskEntry,
  TaskFault,
} from '../../protocol/resources.ts';
import type {
  AttemptRow,
  CheckpointRow,
  RecoveryRow,
  TaskRow,
  TraceSummary,
} from '../../store/rows.ts';
import { isoTime } from '../iso-time.ts';
import { checkpointResource } from '../workers/resume-points.ts';
import * as views from './views.ts';

/** The rows of one task. */
export interface TaskRows {
  readonly row: TaskRow | undefined;
  readonly ended: readonly AttemptRow[];
  readonly traces: readonly TraceSummary[];
  readonly saved: readonly CheckpointRow[];
}

export function taskDetail(
  job: JobRecord,
  index: number,
  { row, ended, traces, saved }: TaskRows,
  live: TaskRecord | undefined,
): TaskDetail {
  const { spec } = job;
  const entry: TaskEntry =
    row === undefined
      ? views.unassignedTask(spec.id, index, job.status)
      : views.taskEntry(spec.id, row, live);
  const running = live?.live[0];
  const attempts = attemptEntries(row, ended, live?.live ?? []).map((each) => traced(each, traces));
  return {
    ...entry,
    job_id: spec.id,
    priority: spec.taskPriorities?.[index] ?? spec.priority,
    attempts,
    assigned_at: timeOrNull(row?.assignedAt),
    started_at: timeOrNull(running?.startedAt ?? row?.startedAt),
    completed_at: timeOrNull(row?.completedAt),
    run_seconds: row === undefined || row.runMs === null ? null : row.runMs / 1000,
    progress: running === undefined ? null : running.progress,
    progress_message: running?.progressMessage ?? null,
    not_before: live !== undefined && live.notBefore > 0 ? isoTime(live.notBefore) : null,
    error: errorOfTask(row, attempts),
    checkpoints: saved.map(checkpointResource),
    result: parsed(row?.resultJson ?? null),
  };
}

/** The entry with what is kept of its trace. */
function traced(entry: AttemptEntry, traces: readonly TraceSummary[]): AttemptEntry {
  const trace = traces.find(({ attempt }) => attempt === entry.attempt);
  if (trace === undefined) return entry;
  const { error } = entry;
  const { stack, hasOutput } = trace;
  return {
    ...entry,
    error: error === null || stack === null ? error : { ...error, stack },
    ...(hasOutput ? { output_available: true } : {}),
  };
}

/** A task fails with the error of its newest attempt. */
function errorOfTask(
  row: TaskRow | undefined,
  attempts: readonly AttemptEntry[],
): TaskFault | null {
  const error = errorOf(row?.errorType, row?.errorMessage);
  const stack = attempts.find(({ attempt }) => attempt === row?.attempt)?.error?.stack;
  return error === null || stack === undefined ? error : { ...error, stack };
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
