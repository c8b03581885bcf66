// Jobs that are kept for a time after their end, and workers that are removed when they were away for
// long. Jobs of before have no time of their own; workers of before are away from the next start on.

export const retention = `
  -- When the time of its own is over; null: as all jobs are kept.
  alter table jobs add column expires_at real;
  create index jobs_expiring on jobs (generation, expires_at, key) where expires_at is not null;
  create index jobs_kept on jobs (generation, completed_at, key)
    where completed_at is not null and expires_at is null;

  -- Null: it is there.
  alter table workers add column away_since real;
  -- Of one that was removed.
  alter table workers add column may_return integer not null default 0;
`;
