// What happened, as `decide` says it and `apply` takes it: an event names the records it is about. What
// of it is true only at its moment (a number, a status, a duration) stands in the event itself, for it
// is read again after the commit, by the dispatcher and the streams. They see the events of
// `told-events.ts`, in which the records show only what never changes.

import type {
  MeasuredTelemetry,
  RegisterWorker,
  SaveCheckpoint,
  WorkerDescription,
} from './commands.ts';
import type {
  AttemptOutcome,
  AttemptRecord,
  CheckpointRecord,
  JobRecord,
  JobSpec,
  JobStatus,
  RefusalPause,
  TaskError,
  TaskRecord,
  WorkerRecord,
} from './records.ts';
import type { NotificationRecord } from './notifications.ts';
import type { SchedulerConfig } from './snapshot.ts';

export type Event =
  | {
      readonly type: 'job_submitted';
      readonly spec: JobSpec;
      readonly storedBytes?: number | undefined;
      readonly presumedTaskMs?: number | null | undefined;
      readonly at: number;
    }
  /** The client cancelled the job: pending tasks will not run, live attempts are revoked. */
  | { readonly type: 'job_cancelled'; readonly job: JobRecord; readonly at: number }
  /** Nothing of the job starts from now on; what runs goes on. */
  | { readonly type: 'job_held'; readonly job: JobRecord; readonly at: number }
  | { readonly type: 'job_released'; readonly job: JobRecord; readonly at: number }
  /** A task failed for good and the job does not go on without it. */
  | { readonly type: 'job_abandoned'; readonly job: JobRecord; readonly at: number }
  | {
      readonly type: 'job_retried';
      readonly job: JobRecord;
      /** Of the tasks that wait again. */
      readonly indices: readonly number[];
      readonly at: number;
    }
  | {
      readonly type: 'job_deleted';
      readonly job: JobRecord;
      /** By a client, or because it was kept for long enough. */
      readonly because: 'asked' | 'expired';
      readonly at: number;
    }
  /** Time to look for jobs that were kept for long enough. */
  | { readonly type: 'retention_due'; readonly at: number }
  /** Nothing is to be removed before `lookAt`; Infinity: until another job ends. */
  | { readonly type: 'retention_planned'; readonly lookAt: number; readonly at: number }
  /** Every task is final. */
  | {
      readonly type: 'job_finished';
      readonly job: JobRecord;
      readonly status: JobStatus;
      readonly completed: number;
      readonly failed: number;
      readonly cancelled: number;
      /** How long its tasks took, see `JobRecord`. */
      readonly smoothedTaskMs: number | null;
      readonly at: number;
    }
  /** The job has ended, and somebody is to be told. */
  | {
      readonly type: 'notification_owed';
      readonly notification: NotificationRecord;
      readonly at: number;
    }
  /** An attempt to tell is over; the record says what came of it, and what follows. */
  | {
      readonly type: 'notification_tried';
      readonly notification: NotificationRecord;
      readonly at: number;
    }
  | {
      readonly type: 'task_assigned';
      readonly job: JobRecord;
      readonly index: number;
      readonly worker: WorkerRecord;
      /** Number of the new attempt. */
      readonly attempt: number;
      readonly token: string;
      readonly expectedMs: number;
      /** Beside a live attempt of the same task. */
      readonly isCopy: boolean;
      readonly at: number;
    }
  /** The attempt was handed out in the answer to a claim of its worker (plain HTTP). */
  | {
      readonly type: 'attempt_delivered';
      readonly attempt: AttemptRecord;
      readonly sequence: number;
      readonly at: number;
    }
  /** The attempt was taken back before it was handed out, as if it had not been assigned. */
  | { readonly type: 'attempt_withdrawn'; readonly attempt: AttemptRecord; readonly at: number }
  | {
      readonly type: 'attempt_started';
      readonly attempt: AttemptRecord;
      /** Earlier than `at` when the coordinator was away meanwhile. */
      readonly startedAt: number;
      readonly at: number;
    }
  | {
      readonly type: 'attempt_progressed';
      readonly attempt: AttemptRecord;
      readonly progress: number;
      readonly message: string | null;
      readonly at: number;
    }
  | {
      readonly type: 'checkpoint_saved';
      readonly attempt: AttemptRecord;
      readonly command: SaveCheckpoint;
      readonly assignedAt: number;
      readonly startedAt: number;
      readonly at: number;
    }
  /** The state of a checkpoint is damaged. */
  | {
      readonly type: 'checkpoint_dropped';
      readonly checkpoint: CheckpointRecord;
      readonly at: number;
    }
  | { readonly type: 'attempt_recalled'; readonly attempt: AttemptRecord; readonly at: number }
  | TaskCompleted
  | AttemptEnded
  | {
      readonly type: 'task_requeued';
      readonly task: TaskRecord;
      /** 0: at once. */
      readonly notBefore: number;
      readonly at: number;
    }
  /** The pause before the next attempt is over. */
  | { readonly type: 'task_due'; readonly task: TaskRecord; readonly at: number }
  | {
      readonly type: 'task_failed';
      readonly task: TaskRecord;
      /** Number of its newest attempt. */
      readonly attempt: number;
      readonly error: TaskError;
      readonly at: number;
    }
  | { readonly type: 'worker_registered'; readonly command: RegisterWorker; readonly at: number }
  | {
      readonly type: 'worker_connected';
      readonly worker: WorkerRecord;
      readonly connectionId: number;
      readonly description: WorkerDescription;
      readonly leaving: boolean;
      readonly at: number;
    }
  | {
      readonly type: 'worker_observed';
      readonly worker: WorkerRecord;
      readonly measured: MeasuredTelemetry;
      readonly telemetryJson: string;
      readonly leaving: boolean;
      readonly at: number;
    }
  /** It rests from now on, or for another reason; null: it works again. */
  | {
      readonly type: 'worker_rest_changed';
      readonly worker: WorkerRecord;
      readonly because: string | null;
      readonly at: number;
    }
  /** The lease for now began, changed, or is over (null). */
  | {
      readonly type: 'worker_lease_changed';
      readonly worker: WorkerRecord;
      readonly leaseMs: number | null;
      readonly at: number;
    }
  | {
      readonly type: 'worker_disconnected';
      readonly worker: WorkerRecord;
      /** It knows nothing of it yet, so it has the time in which it would notice besides. */
      readonly isCut: boolean;
      readonly at: number;
    }
  | { readonly type: 'worker_lost'; readonly worker: WorkerRecord; readonly at: number }
  /** The worker fails tasks that succeed elsewhere, or failed its probe. */
  | {
      readonly type: 'worker_quarantined';
      readonly worker: WorkerRecord;
      readonly until: number;
      readonly pauseMs: number;
      readonly at: number;
    }
  /** The pause of the worker's quarantine is over: it may have one task. */
  | { readonly type: 'worker_probed'; readonly worker: WorkerRecord; readonly at: number }
  | { readonly type: 'worker_released'; readonly worker: WorkerRecord; readonly at: number }
  /** It takes nothing new; or, once more, with another deadline. */
  | {
      readonly type: 'worker_drained';
      readonly worker: WorkerRecord;
      readonly since: number | null;
      /** Null: what runs may take its time. */
      readonly deadline: number | null;
      readonly at: number;
    }
  /** The deadline of its drain has come: it has nothing any more. */
  | { readonly type: 'drain_ended'; readonly worker: WorkerRecord; readonly at: number }
  /** A person has let it in. */
  | { readonly type: 'worker_approved'; readonly worker: WorkerRecord; readonly at: number }
  | {
      readonly type: 'worker_renamed';
      readonly worker: WorkerRecord;
      readonly name: string;
      readonly at: number;
    }
  | { readonly type: 'worker_resumed'; readonly worker: WorkerRecord; readonly at: number }
  | {
      readonly type: 'worker_deregistered';
      readonly worker: WorkerRecord;
      /**
       * By an operator, or a person did not let it in: it must stay away. Or it was away for long, or nobody has
       * let it in in time: it may register anew.
       */
      readonly because: 'asked' | 'refused' | 'away' | 'unanswered';
      readonly at: number;
    }
  /** A worker without a connection of its own (plain HTTP) was heard of and can be given work. */
  | {
      readonly type: 'worker_attached';
      readonly worker: WorkerRecord;
      readonly connectionId: number;
      readonly at: number;
    }
  /** The worker did not fetch an assignment in time: it gets nothing new until it asks for work. */
  | { readonly type: 'worker_slept'; readonly worker: WorkerRecord; readonly at: number }
  /** Any sign of life. The lease is renewed only when its deadline comes. */
  | { readonly type: 'worker_heard'; readonly worker: WorkerRecord; readonly at: number }
  | { readonly type: 'worker_left'; readonly worker: WorkerRecord; readonly at: number }
  /** The worker was heard of since: the deadline moves to the end of its lease. */
  | { readonly type: 'lease_renewed'; readonly worker: WorkerRecord; readonly at: number }
  /** The clock was set by whole milliseconds, forward or back. */
  | { readonly type: 'clock_set'; readonly byMs: number; readonly at: number }
  /** The coordinator itself could not listen: every worker has a whole lease from now on. */
  | { readonly type: 'silence_excused'; readonly at: number }
  | { readonly type: 'attempt_missed'; readonly attempt: AttemptRecord; readonly at: number }
  | { readonly type: 'attempt_named'; readonly attempt: AttemptRecord; readonly at: number }
  | {
      readonly type: 'scheduler_configured';
      readonly config: SchedulerConfig;
      readonly before: SchedulerConfig;
      readonly at: number;
    }
  | {
      readonly type: 'database_cleared';
      readonly generation: number;
      /** How many there were. */
      readonly jobs: number;
      readonly at: number;
    };

export interface TaskCompleted {
  readonly type: 'task_completed';
  readonly task: TaskRecord;
  readonly attempt: number;
  readonly token: string;
  /** Who brought the result. */
  readonly workerId: string;
  /** Null when that one is not registered any more. */
  readonly worker: WorkerRecord | null;
  /** The live attempt that it ends; null when it had been given up, and was late. */
  readonly finished: AttemptRecord | null;
  /** The live attempt that a copy of it was faster than. */
  readonly overtaken: AttemptRecord | null;
  readonly resultJson: string;
  readonly startedAt: number | null;
  /** As its worker says, or from its start until now. */
  readonly runMs: number;
  /** As its worker says; null when it does not. */
  readonly cpuSeconds: number | null;
  readonly energyJoules: number | null;
  readonly at: number;
}

/** A live attempt ended without the accepted result. A later event says what becomes of its task. */
export interface AttemptEnded {
  readonly type: 'attempt_ended';
  readonly attempt: AttemptRecord;
  readonly outcome: AttemptOutcome;
  readonly errorType: string;
  readonly errorMessage: string;
  readonly charge: 'none' | 'error' | 'loss' | 'timeout';
  /** It was given back without a word of its worker, which must be told to stop. */
  readonly isHandedOver: boolean;
  /** The worker did not take it, and gets nothing of the job for a while; null otherwise. */
  readonly pause: RefusalPause | null;
  /** Null when it had not started. */
  readonly startedAt: number | null;
  /** As its worker says, or from its start until now. */
  readonly runMs: number;
  readonly at: number;
}
