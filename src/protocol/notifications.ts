// What is told of the end of a job, and what is shown of that.

/** An address that is told when the job ends, as it is shown: what stands behind `?` in it is not. */
export interface NotifyView {
  readonly url: string;
  readonly on: readonly JobEnd[];
  /** Whether what is sent is signed. */
  readonly signed: boolean;
}

export type JobEnd = 'completed' | 'failed' | 'cancelled';

/** That somebody is told of an end of a job, and what has come of it. */
export interface JobNotification {
  /** Of the delivery: the receiver gets it as `webhook-id`, the same at every attempt. */
  readonly id: string;
  readonly url: string;
  /** How the job had ended. */
  readonly status: JobEnd;
  readonly ended_at: string;
  readonly state: 'due' | 'delivered' | 'given_up';
  readonly attempts: number;
  /** What came of the newest attempt: a status, or a few words; null before it. */
  readonly last_answer: string | null;
  readonly last_attempt_at: string | null;
  /** Null when no further attempt follows. */
  readonly next_attempt_at: string | null;
}

/** The body of the message to whoever is told. */
export interface JobNotice {
  readonly schema: 1;
  readonly type: `job.${JobEnd}`;
  /** When the job ended. */
  readonly timestamp: string;
  readonly id: string;
  /** From 1. */
  readonly attempt: number;
  readonly data: {
    readonly job_id: string;
    readonly name: string | null;
    readonly client_id: string;
    readonly status: JobEnd;
    readonly task_count: number;
    readonly counts: {
      readonly completed: number;
      readonly failed: number;
      readonly cancelled: number;
    };
    readonly created_at: string;
    readonly started_at: string | null;
    readonly completed_at: string;
    /** Paths at the coordinator, which does not know under which name it is reached. */
    readonly links: { readonly job: string; readonly results: string };
  };
}
