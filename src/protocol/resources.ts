// What the REST interface answers, field by field. Timestamps are ISO 8601 UTC with milliseconds.

import type { Telemetry } from './messages.ts';

export type JobStatus = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';
export type TaskStatus = 'pending' | 'assigned' | 'running' | 'completed' | 'failed' | 'cancelled';
export type WorkerStatus = 'online' | 'busy' | 'offline' | 'draining' | 'quarantined';

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

export interface JobSummary {
  readonly id: string;
  readonly name: string | null;
  readonly status: JobStatus;
  readonly task_count: number;
  readonly created_at: string;
  readonly completed_at: string | null;
  readonly client_id: string;
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

export interface JobDetail extends JobSummary {
  readonly priority: number;
  readonly started_at: string | null;
  readonly counts: TaskCounts;
  /** Share of tasks that are final, 0 to 1. */
  readonly progress: number;
  /** Why the job failed: the first task's error; null otherwise. */
  readonly error: string | null;
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
  /** Assigned and running attempts. */
  readonly active_tasks: number;
  readonly total_completed: number;
  readonly last_heartbeat: string;
  readonly name: string | null;
  readonly slots: number;
  readonly kinds: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly isolation: string;
  readonly total_failed: number;
  readonly registered_at: string;
  readonly telemetry: Telemetry;
  /** Of the last decision, or null. */
  readonly score: number | null;
}

export interface WorkerFailure {
  readonly task_id: string;
  readonly job_id: string;
  readonly error_type: string;
  readonly error_message: string;
  readonly failed_at: string;
}

/** Body of `POST /api/jobs`; only `program` and `inputs` are required. */
export interface JobSubmission {
  readonly name?: string;
  readonly client_id?: string;
  readonly priority?: number;
  readonly program: { readonly kind: 'javascript'; readonly source: string };
  readonly inputs:
    | readonly unknown[]
    | { readonly range: { readonly start: number; readonly count: number } };
  readonly task_priorities?: readonly number[];
  readonly max_attempts?: number;
  readonly max_lost_attempts?: number;
  readonly retry_delay_seconds?: number;
  readonly attempt_timeout_seconds?: number | null;
  readonly progress_timeout_seconds?: number | null;
  readonly on_task_failure?: 'continue' | 'fail_job';
  readonly late_results?: 'accept' | 'reject';
  readonly requirements?: JobRequirements;
  readonly checkpoint?: { readonly interval_seconds: number };
  readonly speculation?: {
    readonly enabled?: boolean;
    readonly max_copies?: number;
    readonly max_share?: number;
  };
}

export interface JobRequirements {
  readonly type?: readonly string[];
  readonly platform?: readonly string[];
  readonly min_ram_mb?: number;
  readonly min_battery_percent?: number;
  readonly isolation?: string;
  readonly labels?: Readonly<Record<string, string>>;
}
