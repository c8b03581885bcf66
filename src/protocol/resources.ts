// The answers of the REST interface, field by field. Timestamps are ISO 8601 UTC with milliseconds.

import type { JobOutlook } from './estimates.ts';
import type { Hindrance } from './hindrances.ts';
import type { ChosenOptions, SubmittedOptions } from './job-options.ts';
import type { Telemetry } from './messages.ts';
import type { NotifyView } from './notifications.ts';
import type { Program } from './program.ts';
import type { WorkerSeries } from './worker-series.ts';

export type JobStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
export type TaskStatus = 'pending' | 'assigned' | 'running' | 'completed' | 'failed' | 'cancelled';
export type WorkerStatus = 'online' | 'busy' | 'offline' | 'waiting' | 'draining' | 'quarantined';

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

export interface WorkerResource {
  readonly id: string;
  readonly type: string;
  readonly platform: string;
  readonly status: WorkerStatus;
  /** Null: an operator has not drained it. What it still has is `active_tasks`. */
  readonly draining: {
    /** Null: from before this was noted. */
    readonly since: string | null;
    /** What it still has then is given to others; null: never. */
    readonly deadline: string | null;
  } | null;
  /** It has been told to end itself, and takes nothing new. */
  readonly leaving: boolean;
  /**
   * It rests, as its owner or its device wants, and is given nothing: `paused`, `charging`, … (`resting.ts`).
   * Null: it works.
   */
  readonly rests_because: string | null;
  /** The word may have changed since; null: it works. */
  readonly rests_since: string | null;
  /** Assigned and running attempts. */
  readonly active_tasks: number;
  readonly total_completed: number;
  readonly last_heartbeat: string;
  readonly name: string | null;
  readonly slots: number;
  readonly kinds: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly isolation: string;
  /** Of its program; null when it does not say. */
  readonly version: string | null;
  /** A worker that is silent for so long is taken for lost. */
  readonly lease_seconds: number;
  readonly total_failed: number;
  readonly registered_at: string;
  readonly telemetry: Telemetry;
  /** Its score in the last decision, or null. */
  readonly score: number | null;
  /** By which token it registered, for admins; absent where none was needed. */
  readonly joined_by?: { readonly token_id: string; readonly label: string | null };
  /** It waits for a person to let it in, and is removed then; absent: it is in. */
  readonly waits_until?: string;
  /** It refuses tasks of one job after another, and has completed or failed none since. */
  readonly refusing?: WorkerRefusing;
  /** What it has measured, where it was asked for. */
  readonly series?: WorkerSeries;
}

export interface WorkerRefusing {
  /** Offers in a row since it began to pause. */
  readonly offers: number;
  /** It is given nothing before. */
  readonly until: string;
  readonly reason: string | null;
}

/** One worker with what it does now. */
export interface WorkerDetail extends WorkerResource {
  /** It gets nothing before; null when it is not in quarantine. */
  readonly quarantined_until: string | null;
  /** Its attempts, the oldest first; at most 100. */
  readonly attempts: readonly WorkerAttempt[];
}

export interface WorkerAttempt {
  readonly task_id: string;
  readonly job_id: string;
  readonly index: number;
  readonly attempt: number;
  readonly status: 'assigned' | 'running';
  readonly assigned_at: string;
  readonly started_at: string | null;
  /** 0 to 1, as last reported. */
  readonly progress: number;
}

export interface WorkerFailure {
  readonly task_id: string;
  readonly job_id: string;
  readonly error_type: string;
  readonly error_message: string;
  readonly failed_at: string;
}

/** Body of `POST /api/jobs`; only `program` and `inputs` are required. */
export interface JobSubmission extends SubmittedOptions {
  readonly program: Program;
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

/** The scheduler, and why it decided as it last did. */
export interface SchedulingInfo {
  readonly algorithm: string;
  readonly weighting: 'manual' | 'entropy';
  readonly effective_weights: Readonly<Record<string, number>>;
  /** All waiting tasks, those in a pause before a retry included. */
  readonly pending_tasks: number;
  readonly active_tasks: number;
  readonly decisions_total: number;
  /** By the algorithm that made them. */
  readonly decisions_by_algorithm: Readonly<Record<string, number>>;
  readonly last_decision: LastDecision | null;
  /** The ranking behind the last decision; without one, the ranking as it would be now. */
  readonly workers: readonly RankedWorkerResource[];
}

export interface LastDecision {
  readonly at: string;
  readonly algorithm: string;
  readonly effective_weights: Readonly<Record<string, number>>;
  readonly task_id: string;
  readonly job_id: string;
  readonly worker_id: string;
  readonly reason: string;
  readonly duration_microseconds: number;
}

export interface RankedWorkerResource {
  readonly worker_id: string;
  readonly rank: number;
  readonly score: number | null;
  readonly eligible: boolean;
  /** Why it could not be chosen; empty when it could. */
  readonly reasons: readonly Hindrance[];
  readonly selected: boolean;
  readonly criteria: Readonly<Record<string, CriterionResource>>;
  readonly details: Readonly<Record<string, number | string>>;
}

export interface CriterionResource {
  /** Null when no worker reports it. */
  readonly value: number | null;
  readonly weight: number;
  readonly contribution: number;
  readonly kind: 'benefit' | 'cost';
  readonly imputed: boolean;
  readonly projected: boolean;
}

/** Summary over all jobs and workers, or over one job. What cannot be told is null. */
export interface EvaluationMetrics {
  readonly jobs: {
    readonly total: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly running: number;
  };
  readonly tasks: {
    readonly total: number;
    readonly completed: number;
    readonly failed: number;
    /** Attempts that failed and were followed by another. */
    readonly retried: number;
    /** Lost attempts whose task went on. */
    readonly recovered: number;
  };
  /** Over completed jobs, from submission to end; nulls before the first. */
  readonly job_execution_time_seconds: {
    readonly mean: number | null;
    readonly median: number | null;
    readonly p95: number | null;
    readonly max: number | null;
  };
  readonly average_task_time_seconds: number | null;
  /** Completed tasks / time in which any job was open. */
  readonly throughput_tasks_per_second: number;
  /** Null when nothing was completed. */
  readonly jains_fairness_index: number | null;
  /** Reported, or estimated by device class; null when tasks ended and neither is known. */
  readonly energy_joules: number | null;
  readonly checkpoints: { readonly count: number; readonly bytes: number };
  readonly recovery: {
    readonly events: number;
    readonly mean_seconds_to_resume: number | null;
    readonly work_saved_seconds: number;
    /** Run time of attempts that another attempt of the same task overtook. */
    readonly wasted_seconds: number;
  };
  /** Counted since the start of the coordinator, whatever was asked for. */
  readonly scheduler: {
    readonly algorithm: string;
    readonly decisions: number;
    /** By the algorithm that made them. */
    readonly decisions_by_algorithm: Readonly<Record<string, number>>;
    readonly mean_decision_microseconds: number | null;
  };
}

export interface LoadDistribution {
  readonly jains_fairness_index: number | null;
  readonly coefficient_of_variation: number | null;
  readonly workers: readonly WorkerLoad[];
}

export interface WorkerLoad {
  readonly worker_id: string;
  readonly name: string | null;
  /** False for one that was removed: it is here for what it did. */
  readonly registered: boolean;
  readonly type: string;
  readonly tasks_completed: number;
  /** Attempts that failed here. */
  readonly tasks_failed: number;
  readonly active_tasks: number;
  readonly busy_seconds: number;
  /** The worker's share of all completed tasks, 0 to 1. */
  readonly share: number;
}

export interface AttemptHistory {
  /** Every attempt is here that ended then or later, but for those that were left out. */
  readonly kept_since: string;
  /** Those that did not fit. */
  readonly left_out: number;
  /** Live ones first, then newest end first. */
  readonly attempts: readonly AttemptOfHistory[];
}

export interface AttemptOfHistory {
  readonly job_id: string;
  readonly task_id: string;
  readonly index: number;
  readonly attempt: number;
  readonly worker_id: string;
  /** Number among what ran on the worker at the same time, from 0; null: it has not begun. */
  readonly slot: number | null;
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
    | 'superseded';
  readonly assigned_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly progress: number;
  /** Of the checkpoint that it went on from; null: from the start. */
  readonly resumed_from_progress: number | null;
  /** The attempt of the same task that saved it. */
  readonly resumed_from_attempt: number | null;
  /** How many it has saved. */
  readonly checkpoints: number;
  readonly error_type: string | null;
}

export interface ThroughputHistory {
  /** May be longer than asked for: there are at most 2 000 points. */
  readonly bucket_seconds: number;
  readonly points: readonly ThroughputPoint[];
}

export interface ThroughputPoint {
  /** Begin of the bucket. */
  readonly at: string;
  readonly tasks_completed: number;
  readonly tasks_failed: number;
  /** Completed tasks per second of the whole bucket, also of the current one. */
  readonly throughput: number;
}

export interface WorkerPerformance {
  readonly worker_id: string;
  readonly name: string | null;
  /** False for one that was removed: it is here for what it did. */
  readonly registered: boolean;
  readonly type: string;
  readonly platform: string;
  readonly tasks_completed: number;
  /** Attempts that failed here. */
  readonly tasks_failed: number;
  readonly average_task_time_seconds: number | null;
  /** Completed tasks per busy second, of which each task counts a millisecond at least. */
  readonly throughput: number;
  /** Reported, or estimated by device class; null when tasks ended and neither is known. */
  readonly energy_joules: number | null;
  readonly energy_joules_per_task: number | null;
  /** Failed / (completed + failed), 0 when there is neither. */
  readonly failure_rate: number;
}
