// What an owner uses of what is bounded over all of its tokens.

export interface QuotaPort {
  use(): Promise<QuotaUse>;
}

export interface QuotaUse {
  readonly submissions_per_minute: number;
  readonly open_jobs: number;
  readonly queued_tasks: number;
  /** Null for the owner `admin`: it is not counted. */
  readonly stored_bytes: number | null;
}
