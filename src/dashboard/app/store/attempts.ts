// Who did what when, as the coordinator keeps it of the last time.

export interface AttemptHistory {
  /** Every attempt is here that ended then or later, but for those that were left out. */
  readonly kept_since: string;
  readonly left_out: number;
  /** Live ones first, then newest end first. */
  readonly attempts: readonly Attempt[];
}

export interface Attempt {
  readonly job_id: string;
  readonly task_id: string;
  readonly index: number;
  readonly attempt: number;
  readonly worker_id: string;
  /** Null: it has not begun. */
  readonly slot: number | null;
  readonly status:
    | 'assigned'
    | 'running'
    | 'completed'
    | 'failed'
    | 'lost'
    | 'timed_out'
    | 'revoked'
    | 'refused'
    | 'released'
    | 'superseded';
  readonly assigned_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly progress: number;
  /** Null: from the start. */
  readonly resumed_from_progress: number | null;
  readonly resumed_from_attempt: number | null;
  readonly checkpoints: number;
  readonly error_type: string | null;
}
