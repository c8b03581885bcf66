// Times are milliseconds since the epoch; `real` because a due moment may have a fraction (whole
// numbers take the space of an integer). Small enumerations are integers, see `enumerations.ts`.

export const firstLight = `
  create table meta (
    id integer primary key check (id = 1),
    generation integer not null,
    sequence integer not null,
    last_commit_at real,
    next_job_key integer not null,
    next_worker_key integer not null,
    config text
  ) strict;
  insert into meta values (1, 1, 0, null, 1, 1, null);

  -- Written with every batch that touches the job: what is large and never changes is elsewhere.
  create table jobs (
    key integer primary key,
    id text not null unique,
    generation integer not null,
    client_id text not null,
    status integer not null,
    task_count integer not null,
    completed integer not null,
    failed integer not null,
    cancelled integer not null,
    cursors text,
    started_at real,
    completed_at real,
    cancelled_at real,
    error text,
    spec text not null
  ) strict;
  create index jobs_by_status on jobs (generation, status, key);
  create index jobs_by_client on jobs (generation, client_id, status, key);

  create table programs (job_key integer primary key, json text not null) strict;
  create table task_priorities (job_key integer primary key, priorities blob not null) strict;

  -- One row per input; key as in tasks. Range jobs have none.
  create table inputs (key integer primary key, json text not null) strict;
  -- Jobs whose inputs arrive and which nobody sees yet; dropped: to be swept.
  create table staged (job_key integer primary key, dropped integer not null) strict;

  -- key = job key * 2^24 + index. The result is last: what is before it is read without it.
  create table tasks (
    key integer primary key,
    status integer not null,
    attempt integer not null,
    worker_id text,
    token text,
    accepted_attempt integer,
    errors integer not null,
    losses integer not null,
    timeouts integer not null,
    not_before real not null,
    avoid text,
    assigned_at real,
    started_at real,
    completed_at real,
    run_ms real,
    error_type text,
    error_message text,
    result text
  ) strict;
  -- Pending (0), assigned (1) and failed (3): what a start and a retry look for. Rows that end well
  -- leave it.
  create index tasks_unfinished on tasks (status, key) where status = 0 or status = 1 or status = 3;

  create table attempts (
    task_key integer not null,
    attempt integer not null,
    worker_id text not null,
    token text,
    outcome text not null,
    error_type text not null,
    error_message text not null,
    assigned_at real not null,
    started_at real,
    ended_at real not null,
    primary key (task_key, attempt)
  ) strict, without rowid;
  create index attempts_by_worker on attempts (worker_id, ended_at, task_key, attempt);

  create table workers (
    id text primary key,
    key integer not null,
    generation integer not null,
    is_registered integer not null,
    token_hash text not null,
    name text,
    type text not null,
    platform text not null,
    slots integer not null,
    kinds text,
    labels text not null,
    isolation text not null,
    registered_at real not null,
    draining integer not null,
    deregistered_at real,
    total_completed integer not null,
    total_failed integer not null,
    busy_ms real not null,
    smoothed_task_ms real,
    energy_joules real not null
  ) strict;
  create index workers_by_generation on workers (generation, is_registered, key);
`;
