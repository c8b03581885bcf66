// Recovery events, idempotency keys, what evaluation sums. Work that was done before has no rows in
// the new tables: its history begins here.

export const history = `
  alter table meta add column next_recovery_id integer not null default 1;

  -- As in the specification, for the index.
  alter table jobs add column created_at real not null default 0;
  update jobs set created_at = json_extract(spec, '$.createdAt');
  -- Covering, and untouched while a job runs.
  create index jobs_ended on jobs
    (generation, completed_at, key, created_at, status, task_count, completed, failed)
    where completed_at is not null;

  create table recoveries (
    id integer primary key,
    job_key integer not null,
    task_index integer not null,
    from_worker_id text not null,
    to_worker_id text,
    reason text not null,
    attempt integer not null,
    next_attempt integer,
    checkpoint_id text,
    resumed_from_progress real,
    lost_at real not null,
    resumed_at real,
    work_saved_seconds real not null,
    time_lost_seconds real not null,
    outcome text not null,
    is_unfinished integer not null
  ) strict;
  create index recoveries_by_job on recoveries (job_key, id);
  create index recoveries_unfinished on recoveries (job_key, id) where is_unfinished = 1;

  create table idempotency_keys (
    key text primary key,
    job_key integer not null,
    body_hash text not null,
    created_at real not null
  ) strict, without rowid;
  create index idempotency_keys_by_job on idempotency_keys (job_key);

  -- Counted up in place, in buckets of ten seconds.
  create table work (
    bucket_at integer not null,
    job_key integer not null,
    worker_id text not null,
    completed integer not null,
    failed integer not null,
    retried integer not null,
    completed_ms real not null,
    busy_ms real not null,
    energy_joules real not null,
    primary key (bucket_at, job_key, worker_id)
  ) strict, without rowid;
  create index work_by_job on work (job_key, bucket_at, worker_id);

  -- The same in buckets of a second, of all workers.
  create table work_seconds (
    second_at integer not null,
    job_key integer not null,
    completed integer not null,
    failed integer not null,
    primary key (second_at, job_key)
  ) strict, without rowid;
  create index work_seconds_by_job on work_seconds (job_key, second_at);
`;
