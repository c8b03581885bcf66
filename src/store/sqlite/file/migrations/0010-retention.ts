// Jobs that are kept for a time after their end, and workers that are removed when they were away for
// long. Jobs of before have no time of their own; workers of before are away from the next start on.

export const retention = `
  -- When the time of its own is over; null: as all jobs are kept.
  alter table jobs add column expires_at real;
  create index jobs_expiring on jobs (generation, expires_at, key) where expires_at is not null;
  create index jobs_kept on jobs (generation, completed_at, key)
    where completed_at is not null and expires_at is null;

  -- What has happened since the database was made, as JSON. Jobs that were deleted before are not in it.
  alter table meta add column totals text;
  update meta set totals = (
    select json_object(
      'jobsSubmitted', count(*), 'jobsCompleted', total(status = 2), 'jobsFailed', total(status = 3),
      'jobsCancelled', total(status = 4), 'jobsRemoved', 0, 'tasksSubmitted', total(task_count),
      'tasksCompleted', total(completed), 'tasksFailed', total(failed), 'completedMs', 0,
      'energyJoules', 0, 'attempts', json('{"failed":0,"lost":0,"timed_out":0,"revoked":0,"refused":0,'
        || '"superseded":0,"released":0,"withdrawn":0}'))
    from jobs where generation = meta.generation) where sequence > 0;

  -- Null: it is there.
  alter table workers add column away_since real;
  -- Of one that was removed.
  alter table workers add column may_return integer not null default 0;
`;
