// Who is told of the end of a job.

/** An address that is told when the job ends. Who tells it is outside of the core. */
export interface NotifyTarget {
  readonly url: string;
  /** The host in the address, by which deliveries take turns. */
  readonly host: string;
  readonly on: readonly JobEnd[];
  /** Signs what is sent; it is in no answer, event or log. Null: nothing is signed. */
  readonly secret: string | null;
}

export type JobEnd = 'completed' | 'failed' | 'cancelled';

/**
 * One end of a job that one of its targets is told of. Memory holds none of them: it is written when the
 * job ends, read when it is due, and written again with what came of it.
 */
export interface NotificationRecord {
  /** Rises; with the id of the job it is the name of the delivery, the same at every attempt. */
  readonly id: number;
  readonly jobKey: number;
  readonly jobId: string;
  /** Index in `JobOptions.notify`. */
  readonly target: number;
  readonly host: string;
  /** How the job ended, as it was then: it may be retried, and end otherwise. */
  readonly status: JobEnd;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly startedAt: number | null;
  readonly endedAt: number;
  /** Attempts of which the outcome is known. */
  readonly attempts: number;
  /** `due` until it was delivered, or given up. */
  readonly outcome: 'due' | 'delivered' | 'given_up';
  /** When the next attempt may be made; null when there is none. */
  readonly nextAt: number | null;
  /** What came of the newest attempt, in a few words of our own. */
  readonly answer: string | null;
  readonly triedAt: number | null;
}
