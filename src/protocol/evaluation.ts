// What the REST interface tells about runs: metrics, load, attempts and throughput.

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

/** How an attempt that is over has ended. Their order is that of columns in memory: new ones come last. */
export const endedAttemptStatuses = [
  'completed',
  'failed',
  'lost',
  'timed_out',
  'revoked',
  'refused',
  'released',
  'superseded',
] as const;

export interface AttemptOfHistory {
  readonly job_id: string;
  readonly task_id: string;
  readonly index: number;
  readonly attempt: number;
  readonly worker_id: string;
  /** Number among what ran on the worker at the same time, from 0; null: it has not begun. */
  readonly slot: number | null;
  readonly status: 'assigned' | 'running' | (typeof endedAttemptStatuses)[number];
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
