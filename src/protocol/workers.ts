// What the REST interface tells about workers.

import type { Telemetry } from './messages.ts';
import type { WorkerSeries } from './worker-series.ts';

export type WorkerStatus = 'online' | 'busy' | 'offline' | 'waiting' | 'draining' | 'quarantined';

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
  /** Versions of what runs them, by kind, as it says; absent when it does not. */
  readonly runtimes?: Readonly<Record<string, string>>;
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
