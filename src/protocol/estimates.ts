// When a job will have ended, as far as that can be told from how fast its tasks complete.

export interface JobEta {
  /** From now on; null when it cannot be told, and so are `low` and `high`. */
  readonly seconds: number | null;
  /** If it went on as in the fastest minute of the last ones. */
  readonly low: number | null;
  /** If it went on as in the slowest of them. */
  readonly high: number | null;
  /** How it is estimated, in a sentence. */
  readonly method: string;
  /** Why it cannot be told, in a sentence; null when it can. */
  readonly reason: string | null;
}

/** How a job gets on; part of its head. */
export interface JobOutlook {
  /** Tasks that completed in the last minute, per second; null when it cannot be told. */
  readonly rate_per_second: number | null;
  readonly eta: JobEta;
}
