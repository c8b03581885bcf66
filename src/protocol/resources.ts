// The answers of the REST interface about jobs and their tasks, field by field. Timestamps are ISO 8601 UTC with
// milliseconds.

import type { JobOutlook } from './estimates.ts';
import type { ChosenOptions, SubmittedOptions } from './job-options.ts';
import type { NotifyView } from './notifications.ts';
import type { Program } from './program.ts';

export type JobStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
export type TaskStatus = 'pending' | 'assigned' | 'running' | 'completed' | 'failed' | 'cancelled';

export interface SystemStats {
  readonly total_workers: number;
  /** Online and busy. */
  readonly online_workers: number;
  readonly total_jobs: number;
  readonly completed_jobs: number;
  readonly failed_jobs: number;
  readonly running_jobs: number;
  readonly total_tasks_completed: number;
  readonly uptime_seconds: number;
}

/** What the last check of the whole database found. */
export interface StoreHealth {
  readonly checked_at: string;
  readonly values: number;
  readonly unverified: number;
  readonly damaged: number;
}

export interface JobSummary {
  readonly id: string;
  readonly name: string | null;
  readonly status: JobStatus;
  readonly task_count: number;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly client_id: string;
  /** Whose it is; absent: the admin's, as are all where nobody needs a token. */
  readonly owner?: string;
  /** Nothing new of it starts; null when it is not held. */
  readonly held_since: string | null;
}

export interface TaskCounts {
  readonly pending: number;
  readonly assigned: number;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

export interface TaskEntry {
  readonly id: string;
  readonly index: number;
  readonly status: TaskStatus;
  /** Worker of the newest attempt, null before the first. */
  readonly worker_id: string | null;
  /** 0 before the first attempt. */
  readonly attempt: number;
  readonly result_available: boolean;
}

/** The input of a task, where it is told. */
export interface TaskInput {
  /** As it was submitted; a large one may be a reference to a blob. */
  readonly input?: unknown;
  /** Why the input cannot be read; stands in its place. */
  readonly input_problem?: string;
}

/** A task as `GET …/tasks` lists it: what its newest attempt came to; with its input when it is asked for. */
export interface TaskListing extends TaskEntry, TaskInput {
  readonly assigned_at: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  /** As the worker measured it; null until it completed. */
  readonly run_seconds: number | null;
  /** Of a task that has failed. */
  readonly error: TaskFault | null;
}

/** How the tasks of a job stand: a number for each cell of `width` consecutive tasks, the last may have fewer. */
export interface TaskMap {
  readonly from: number;
  /** Excluded. */
  readonly to: number;
  readonly width: number;
  readonly counts: Readonly<Record<TaskStatus, readonly number[]>>;
}

/** What went wrong in a job, most frequent first: attempts that failed, were lost or timed out. */
export interface JobErrors {
  readonly job_id: string;
  /** False when not all attempts were looked at, or there are too many kinds to count each. */
  readonly complete: boolean;
  /** Those that were looked at. */
  readonly attempts: number;
  readonly kinds: readonly JobErrorKind[];
}

export interface JobErrorKind {
  readonly type: string;
  /** What all say; where they differ with `#`, `<id>` or `"…"` in place of numbers, ids and quoted texts. */
  readonly message: string;
  readonly varies: boolean;
  readonly example_message: string;
  readonly attempts: number;
  readonly tasks: number;
  readonly workers: number;
  /** Indices of the first tasks that had it, at most three. */
  readonly examples: readonly number[];
  /** Those of them that a worker completed on which none of the kind had failed. */
  readonly completed_elsewhere: readonly number[];
}

export interface JobDetail extends JobSummary, JobOutlook {
  readonly priority: number;
  readonly started_at: string | null;
  readonly counts: TaskCounts;
  /**
   * 0 to 1: tasks that completed or failed, and the shares that running ones report. What was cancelled
   * does not count.
   */
  readonly progress: number;
  /** Why the job failed: the first task's error; null otherwise. */
  readonly error: string | null;
  /** When it is removed with its results; null while it goes on, or when it is kept for good. */
  readonly expires_at: string | null;
  /** Who is told of its end; absent when nobody is. */
  readonly notify?: readonly NotifyView[];
  /** As they were submitted, with the defaults. Coordinators of before do not tell them. */
  readonly options?: ChosenOptions;
  /** What a worker must offer for it; coordinators of before, who had one kind, do not tell. */
  readonly program_kind?: string;
  /** Its tasks share a value; absent when they do not. */
  readonly has_shared?: true;
  readonly tasks: readonly TaskEntry[];
}

export type TaskResult =
  | {
      readonly index: number;
      readonly task_id: string;
      readonly status: 'completed';
      readonly value: unknown;
    }
  | {
      readonly index: number;
      readonly task_id: string;
      readonly status: 'failed' | 'cancelled';
      readonly error: { readonly type: string; readonly message: string };
    };

/** Body of `POST /api/jobs`; only `program` and `inputs` are required. */
export interface JobSubmission extends SubmittedOptions {
  readonly program: Program;
  /** The value that all tasks share, JSON or a reference to a blob. */
  readonly shared?: unknown;
  readonly inputs:
    | readonly unknown[]
    | { readonly range: { readonly start: number; readonly count: number } };
}

/** Why an attempt or a task failed. */
export interface TaskFault {
  readonly type: string;
  readonly message: string;
  /** Frames of the program, innermost first, a line for each; absent when none is known. */
  readonly stack?: string;
}

/** Everything about one task. */
export interface TaskDetail extends TaskEntry, TaskInput {
  readonly job_id: string;
  readonly priority: number;
  /** Every attempt, oldest first; the newest may still run. */
  readonly attempts: readonly AttemptEntry[];
  readonly assigned_at: string | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  /** Run time as the executor measured it; null until the task has completed. */
  readonly run_seconds: number | null;
  /** 0 to 1, as last reported. */
  readonly progress: number | null;
  readonly progress_message: string | null;
  /** Not assigned again before this moment; null when it may be at once. */
  readonly not_before: string | null;
  readonly error: TaskFault | null;
  readonly checkpoints: readonly CheckpointRecord[];
  /** Null unless completed. `result_available` tells a null result from none. */
  readonly result: unknown;
}

export interface AttemptEntry {
  readonly attempt: number;
  /** Attempts in a row that one worker did not take, of which this is the first; else 1. */
  readonly count: number;
  readonly worker_id: string;
  readonly status:
    | 'assigned'
    | 'running'
    | 'completed'
    | 'failed'
    | 'lost'
    | 'timed_out'
    | 'revoked'
    | 'refused'
    | 'released'
    | 'withdrawn'
    | 'superseded';
  readonly assigned_at: string | null;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly error: TaskFault | null;
  /** What it printed is kept: `GET …/output`. */
  readonly output_available?: true;
}

export interface CheckpointRecord {
  readonly id: string;
  readonly job_id: string;
  readonly task_id: string;
  readonly task_index: number;
  readonly attempt: number;
  readonly sequence: number;
  readonly worker_id: string;
  readonly progress: number;
  readonly kind: 'full' | 'delta';
  readonly size_bytes: number;
  readonly stored_bytes: number;
  readonly sha256: string;
  readonly created_at: string;
}

export type RecoveryReason =
  | 'worker_lost'
  | 'connection_lost'
  | 'deregistered'
  | 'attempt_timeout'
  | 'worker_drained'
  | 'worker_rests'
  | 'coordinator_restart'
  | 'straggler';

export type RecoveryOutcome = 'requeued' | 'resumed' | 'restarted' | 'adopted' | 'failed';

/** An attempt that had started was lost, and what became of its task. */
export interface RecoveryEvent {
  readonly id: string;
  readonly job_id: string;
  readonly task_id: string;
  readonly task_index: number;
  readonly from_worker_id: string;
  /** Null until the next assignment. */
  readonly to_worker_id: string | null;
  readonly reason: RecoveryReason;
  readonly attempt: number;
  readonly next_attempt: number | null;
  readonly checkpoint_id: string | null;
  readonly resumed_from_progress: number | null;
  readonly lost_at: string;
  /** When the next attempt started. */
  readonly resumed_at: string | null;
  readonly work_saved_seconds: number;
  readonly time_lost_seconds: number;
  readonly outcome: RecoveryOutcome;
}
