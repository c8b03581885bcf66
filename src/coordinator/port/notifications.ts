// Who is told of the ends of jobs. That somebody is to be told is decided in here and kept in the store;
// how a message reaches its address is for the shell, which is given one delivery at a time.

import type { JobNotice, JobNotification } from '../../protocol/notifications.ts';

export interface NotificationPort {
  /** The newest hundred, newest first. Undefined: no such job. */
  ofJob(jobId: string): Promise<readonly JobNotification[] | undefined>;
}

/** One attempt. */
export interface Delivery {
  /** The same at every attempt: a receiver may get a message twice, and drops it by this. */
  readonly id: string;
  readonly url: string;
  /** Signs the message; null: it is not signed. */
  readonly secret: string | null;
  /** By the clock of the coordinator. */
  readonly at: number;
  readonly notice: JobNotice;
}

export interface DeliveryOutcome {
  /** `refused`: the receiver wants no further attempt. */
  readonly outcome: 'delivered' | 'failed' | 'refused';
  /** A status, or a few words. Nothing of it is written by the receiver. */
  readonly answer: string;
}

/** Comes to an end by itself, soon. When it is aborted its outcome does not count. */
export type Deliver = (delivery: Delivery, signal: AbortSignal) => Promise<DeliveryOutcome>;
