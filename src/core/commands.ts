// What can be asked of the core. Ids, tokens, chance and time are stamped at the edge: `at` is the
// coordinator's own clock in milliseconds, `chance` a number from 0 to below 1.

import type { AttemptRecord, JobRecord, JobSpec, Joined, WorkerRecord } from './records.ts';
import type { NotificationRecord } from './notifications.ts';
import type { Observed, SchedulerConfig } from './snapshot.ts';

export type Command =
  | SubmitJob
  | { readonly type: 'cancel_job'; readonly jobId: string; readonly at: number }
  | {
      readonly type: 'hold_job' | 'release_job';
      readonly jobId: string;
      readonly at: number;
    }
  | { readonly type: 'delete_job'; readonly jobId: string; readonly at: number }
  | ExpireJobs
  | SettleNotification
  | RetryJob
  | RegisterWorker
  | ConnectWorker
  | {
      readonly type: 'disconnect_worker';
      readonly workerId: string;
      readonly connectionId: number;
      /** The way to its connection was cut: it knows nothing of that yet. Absent: it was closed. */
      readonly isCut?: boolean;
      readonly at: number;
    }
  | Heartbeat
  /** A worker over plain HTTP called; `asksForWork` when it claims. */
  | AttachWorker
  /** An assignment was handed to a worker that asked for it. */
  | {
      readonly type: 'deliver_attempt';
      readonly attempt: AttemptRecord;
      readonly sequence: number;
      readonly at: number;
    }
  /** The worker sent a message, of whatever kind. */
  | { readonly type: 'hear_worker'; readonly workerId: string; readonly at: number }
  | DrainWorker
  | { readonly type: 'resume_worker'; readonly workerId: string; readonly at: number }
  /** A person lets it in, or does not. */
  | {
      readonly type: 'approve_worker' | 'refuse_worker';
      readonly workerId: string;
      readonly at: number;
    }
  | {
      readonly type: 'rename_worker';
      readonly workerId: string;
      readonly name: string;
      readonly at: number;
    }
  | { readonly type: 'deregister_worker'; readonly workerId: string; readonly at: number }
  /** The worker has left (`bye`): what it still held is released, uncharged. */
  | { readonly type: 'leave_worker'; readonly workerId: string; readonly at: number }
  | StartAttempt
  | ProgressAttempt
  | SaveCheckpoint
  /** The state of a checkpoint could not be read, or is not what was saved. */
  | {
      readonly type: 'drop_checkpoint';
      readonly jobId: string;
      readonly index: number;
      readonly checkpointId: number;
      readonly at: number;
    }
  | CompleteAttempt
  | FailAttempt
  | ReleaseAttempt
  | AssignTask
  | SpeculateTask
  | { readonly type: 'recall_attempts'; readonly worker: WorkerRecord; readonly at: number }
  | { readonly type: 'configure'; readonly config: SchedulerConfig; readonly at: number }
  | { readonly type: 'clear'; readonly at: number }
  /** What an attempt needs cannot be read, so it never reached its worker. */
  | {
      readonly type: 'fail_unsent';
      readonly jobId: string;
      readonly index: number;
      readonly token: string;
      readonly problem: string;
      readonly chance: number;
      readonly at: number;
    }
  /** The clock of the machine was set forward or back; `at` is already by the new one. */
  | { readonly type: 'set_clock'; readonly byMs: number; readonly at: number }
  /** The coordinator could hear nobody for a while: every worker has a whole lease from now on. */
  | { readonly type: 'excuse_silence'; readonly at: number }
  /** Handles one deadline that is due. */
  | { readonly type: 'expire'; readonly at: number; readonly chance: number };

export interface SubmitJob {
  readonly type: 'submit_job';
  readonly spec: JobSpec;
  /** Of its program and inputs; absent: 0. */
  readonly storedBytes?: number | undefined;
  /** See `JobRecord`; absent: nobody knows. */
  readonly presumedTaskMs?: number | null | undefined;
  readonly at: number;
}

/** Invariant: the job's failed and cancelled tasks that have a row are in memory, as visitors. */
export interface RetryJob {
  readonly type: 'retry_job';
  readonly jobId: string;
  readonly at: number;
}

export interface DrainWorker {
  readonly type: 'drain_worker';
  readonly workerId: string;
  /** When what it still has is given to others; null: never. Absent: as it is, never at first. */
  readonly deadline?: number | null;
  readonly at: number;
}

/** Answers `retention_due`: what may have been kept for long enough is removed. */
export interface ExpireJobs {
  readonly type: 'expire_jobs';
  /**
   * Jobs that have ended, read from the store for this batch: those whose own time ends first, those of
   * no own time that ended first, and, when too many are kept, those that ended first of all.
   */
  readonly candidates: readonly JobRecord[];
  readonly at: number;
}

/** An attempt to tell somebody of the end of a job is over. */
export interface SettleNotification {
  readonly type: 'settle_notification';
  /** As it was read for the attempt. */
  readonly notification: NotificationRecord;
  /** `refused`: whoever is told asks for no further attempt. */
  readonly outcome: 'delivered' | 'failed' | 'refused';
  readonly answer: string;
  readonly chance: number;
  readonly at: number;
}

export interface WorkerDescription {
  readonly name: string | null;
  readonly type: string;
  readonly platform: string;
  readonly slots: number;
  readonly kinds: readonly string[];
  /** For people: versions of what runs them, by kind; null when it does not say. */
  readonly runtimes: Readonly<Record<string, string>> | null;
  /** What it hands to tasks beside inputs in JSON, as it says. */
  readonly hands: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly isolation: string;
  /** Of its program, as it says; null when it does not. */
  readonly version: string | null;
  /** The lease that it asks for; null for the common one. */
  readonly leaseMs: number | null;
  /** The most memory that it gives one task; null when it does not say. */
  readonly taskMemoryMb: number | null;
}

/** What the worker measures of itself; the core adds what it knows of its history. */
export type MeasuredTelemetry = Pick<
  Observed,
  | 'cpuLoadPercent'
  | 'ramAvailableMb'
  | 'batteryLevelPercent'
  | 'batteryCharging'
  | 'networkLatencyMs'
  | 'networkBandwidthMbps'
>;

export interface RegisterWorker {
  readonly type: 'register_worker';
  readonly workerId: string;
  readonly key: number;
  readonly tokenHash: string;
  readonly description: WorkerDescription;
  readonly measured: MeasuredTelemetry;
  readonly telemetryJson: string;
  /** These three are absent where no token was needed, as if they were null. */
  readonly joined?: Joined | null;
  readonly givenName?: string | null;
  readonly waitsUntil?: number | null;
  readonly at: number;
}

/** An attempt as a worker names it; nothing in it is trusted. */
export interface NamedAttempt {
  readonly jobId: string;
  readonly index: number;
  readonly attempt: number;
  readonly token: string;
}

export interface ConnectWorker {
  readonly type: 'connect_worker';
  readonly workerId: string;
  readonly connectionId: number;
  readonly description: WorkerDescription;
  readonly measured: MeasuredTelemetry | null;
  readonly telemetryJson: string | null;
  /** The worker says that it goes: nothing new is assigned to it. */
  readonly leaving: boolean;
  /** Why it rests, in a word; null: it works. While it rests, its lease for now stays in force. */
  readonly rest: string | null;
  /** Everything it holds: what is not listed is not held. */
  readonly held: readonly (NamedAttempt & {
    readonly state: 'queued' | 'running' | 'finished';
    /** How long it has run, by the worker's own clock. */
    readonly runMs: number | null;
  })[];
  readonly at: number;
}

export interface AttachWorker {
  readonly type: 'attach_worker';
  readonly workerId: string;
  readonly connectionId: number;
  /** The call is a claim: it will fetch assignments. */
  readonly asksForWork: boolean;
  readonly at: number;
}

export interface Heartbeat {
  readonly type: 'heartbeat';
  readonly workerId: string;
  readonly measured: MeasuredTelemetry;
  readonly telemetryJson: string;
  readonly assignSequence: number;
  readonly leaving: boolean;
  readonly rest: string | null;
  /** The lease for now; null: that of its hello. */
  readonly leaseMs: number | null;
  readonly held: readonly (NamedAttempt & { readonly progress: number | null })[];
  readonly at: number;
}

interface Report extends NamedAttempt {
  readonly workerId: string;
  readonly at: number;
}

export interface StartAttempt extends Report {
  readonly type: 'start';
}

export interface ProgressAttempt extends Report {
  readonly type: 'progress';
  readonly progress: number;
  readonly message: string | null;
}

export interface SaveCheckpoint extends Report {
  readonly type: 'save_checkpoint';
  readonly sequence: number;
  readonly progress: number;
  readonly sizeBytes: number;
  readonly storedBytes: number;
  readonly sha256: string;
  /** Null: the worker does not say; the time since its start stands in. */
  readonly runMs: number | null;
  /** Passes through to the store. */
  readonly state: CheckpointState;
}

/** The state as it came: the core does not look into it. */
export type CheckpointState =
  /** JSON text. */
  | { readonly encoding: 'json'; readonly text: string }
  /** The JSON text, gzipped. */
  | { readonly encoding: 'gzip'; readonly bytes: Uint8Array }
  /** A blob holds the gzipped JSON text. */
  | { readonly encoding: 'blob'; readonly blobSha256: string };

export interface CompleteAttempt extends Report {
  readonly type: 'complete';
  /** JSON text. */
  readonly resultJson: string;
  readonly runMs: number | null;
  /** As its worker says; absent or null when it does not. */
  readonly cpuSeconds?: number | null;
  readonly energyJoules: number | null;
  /** Of the worker while it runs a task, for when it does not tell the energy; null when unknown. */
  readonly watts: number | null;
}

export interface FailAttempt extends Report {
  readonly type: 'fail';
  readonly errorType: string;
  readonly errorMessage: string;
  readonly retryable: boolean;
  readonly runMs: number | null;
  readonly chance: number;
}

/** The worker refused the attempt, or released it (recalled, draining, leaving, resting); neither is charged. */
export interface ReleaseAttempt extends Report {
  readonly type: 'release';
  /** `left`: the program that held it ends in order. */
  readonly reason: 'refused' | 'released' | 'left';
  /** Why, as the worker says it; null when it says nothing. */
  readonly message: string | null;
  /** False when it was the coordinator that took it back. */
  readonly isOwnWish: boolean;
  readonly chance: number;
}

export interface AssignTask {
  readonly type: 'assign';
  readonly jobId: string;
  readonly index: number;
  readonly workerId: string;
  readonly token: string;
  readonly at: number;
}

/** A copy of an attempt that takes too long, on another worker. */
export interface SpeculateTask {
  readonly type: 'speculate';
  readonly jobId: string;
  readonly index: number;
  readonly workerId: string;
  readonly token: string;
  readonly at: number;
}
