// What an operator may set about time and budgets. All times in milliseconds.

export interface CoreSettings {
  readonly heartbeatIntervalMs: number;
  /** With more workers than speak so often within an interval, it is longer; null: it is what it is. */
  readonly heartbeatsPerSecond: number | null;
  /** A connected worker that is silent for so long is taken for lost: three heartbeats. */
  readonly leaseMs: number;
  /** The longest lease that a worker may ask for. */
  readonly longestLeaseMs: number;
  /** A closed connection may come back within this time with the same attempts. */
  readonly graceMs: number;
  /** How long after its own time limit an attempt may still report. */
  readonly timeoutSlackMs: number;
  /** The longest pause between two attempts of a failing task. */
  readonly maxRetryDelayMs: number;
  /** Work that a socket worker may hold beyond its slots, per slot. */
  readonly prefetchMs: number;
  /** Most attempts that a worker may hold beyond its slots, per slot. */
  readonly maxPrefetch: number;
  /** A backlog that did not move for so long is asked back when another worker is idle. */
  readonly recallAfterMs: number;
  /** So many tasks in a row that failed on a worker and then succeeded elsewhere quarantine it. */
  readonly quarantineAfterBlames: number;
  /** The first pause of a quarantine; it doubles with every failed probe. */
  readonly quarantinePauseMs: number;
  readonly maxQuarantinePauseMs: number;
  /** The first pause of a worker that refuses tasks of a job; it doubles from offer to offer. */
  readonly refusalPauseMs: number;
  readonly maxRefusalPauseMs: number;
  /**
   * A task that failed on every free worker waits so long for a busy worker on which it did not fail.
   */
  readonly otherWorkerMs: number;
  /** An attempt is not copied before it has run for so long. */
  readonly speculateAfterMs: number;
  /** How long a job is kept after its end when it does not say so itself; null: for good. */
  readonly keepMs: number | null;
  /** So many jobs are kept after their end, whatever they say of themselves; null: all. */
  readonly keepJobs: number | null;
  /** A worker that is away for so long is removed, and registers anew when it comes; null: never. */
  readonly keepAwayMs: number | null;
  /** The same for pages in a browser, which come and go. */
  readonly keepAwayPagesMs: number | null;
  /** Between two looks for jobs that were kept for long enough. */
  readonly retentionPauseMs: number;
  /**
   * When the clock is further ahead than this of what it was, no job is removed for its age for `expiryHoldMs`:
   * somebody may have set it wrong.
   */
  readonly clockJumpMs: number;
  readonly expiryHoldMs: number;
  /** After a look that the disk refused. */
  readonly retentionRetryMs: number;
  /** Attempts to tell somebody of the end of a job, the first included. */
  readonly notifyAttempts: number;
  /** The pause after the first attempt that failed; four times as long after each further one. */
  readonly notifyPauseMs: number;
  readonly maxNotifyPauseMs: number;
}

export const defaultCoreSettings: CoreSettings = {
  heartbeatIntervalMs: 5000,
  heartbeatsPerSecond: 4000,
  leaseMs: 15_000,
  longestLeaseMs: 600_000,
  graceMs: 10_000,
  timeoutSlackMs: 5000,
  maxRetryDelayMs: 300_000,
  prefetchMs: 20,
  maxPrefetch: 1024,
  recallAfterMs: 50,
  quarantineAfterBlames: 3,
  quarantinePauseMs: 60_000,
  maxQuarantinePauseMs: 3_600_000,
  refusalPauseMs: 1000,
  maxRefusalPauseMs: 600_000,
  otherWorkerMs: 30_000,
  speculateAfterMs: 1000,
  keepMs: null,
  keepJobs: null,
  keepAwayMs: 30 * 86_400_000,
  keepAwayPagesMs: 86_400_000,
  retentionPauseMs: 50,
  clockJumpMs: 86_400_000,
  expiryHoldMs: 86_400_000,
  retentionRetryMs: 60_000,
  notifyAttempts: 8,
  notifyPauseMs: 10_000,
  maxNotifyPauseMs: 7_200_000,
};
