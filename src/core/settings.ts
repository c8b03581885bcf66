// What an operator may set about time and budgets. All times in milliseconds.

export interface CoreSettings {
  readonly heartbeatIntervalMs: number;
  /** Silent for so long, a connected worker is taken for lost: three heartbeats. */
  readonly leaseMs: number;
  /** The longest that a worker may ask for. */
  readonly longestLeaseMs: number;
  /** A closed connection may come back within this time with the same attempts. */
  readonly graceMs: number;
  /** How long after its own time limit an attempt may still report. */
  readonly timeoutSlackMs: number;
  /** The longest pause between two attempts of a failing task. */
  readonly maxRetryDelayMs: number;
  /** Work that a socket worker may hold beyond its slots, per slot. */
  readonly prefetchMs: number;
  /** Most attempts beyond its slots, per slot. */
  readonly maxPrefetch: number;
  /** A backlog that did not move for so long is asked back when another worker is idle. */
  readonly recallAfterMs: number;
  /** So many tasks in a row that failed on a worker and then succeeded elsewhere quarantine it. */
  readonly quarantineAfterBlames: number;
  /** The first pause of a quarantine; it doubles with every failed probe. */
  readonly quarantinePauseMs: number;
  readonly maxQuarantinePauseMs: number;
  /**
   * A task that failed on the workers that are free waits so long for one that is busy, and on which it
   * did not fail.
   */
  readonly otherWorkerMs: number;
  /** A running attempt is not copied before it is so old. */
  readonly speculateAfterMs: number;
}

export const defaultCoreSettings: CoreSettings = {
  heartbeatIntervalMs: 5000,
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
  otherWorkerMs: 30_000,
  speculateAfterMs: 1000,
};
