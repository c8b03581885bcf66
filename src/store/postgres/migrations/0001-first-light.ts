// Times are milliseconds since the epoch. Whoever owns is null for the admin, who is in none of the indexes of owners.
// Nothing is checked by foreign keys, and nothing happens by triggers: one writer decides what is written.

import { withByteOrder } from './byte-order.ts';

export const firstLight = withByteOrder(`
  create table meta (
    one boolean primary key default true check (one),
    generation bigint not null,
    next_job_key bigint not null,
    -- The configuration of the scheduler: JSON.
    config text,
    -- Members of a cluster know one another by it.
    secret text not null
  );
  insert into meta (generation, next_job_key, secret)
    values (1, 1, replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));

  -- Who has led, and how that ended; null: it has not, or nobody knows.
  create table terms (
    term uuid primary key,
    epoch bigint not null,
    -- What is staged by the writer of this term bears it.
    member uuid not null,
    since double precision not null,
    ended text,
    -- In a cluster: the process, and where the others reach it.
    coordinator uuid,
    url text
  );

  -- Coordinators of a cluster, each of which says once a second that it is there.
  create table coordinators (
    id uuid primary key,
    url text not null,
    version text not null,
    may_lead boolean not null,
    workers integer not null,
    seen_at double precision not null
  ) with (fillfactor = 50);

  -- The log of commits, which is the lock. Rows are only added, and the old ones swept. With each commit stands
  -- what changes with nearly every one, so that no row is written again and again.
  create table commits (
    sequence bigint primary key,
    term uuid not null,
    -- The sequence of the newest batch; a takeover and a sign of life have none of their own.
    batch bigint not null,
    -- When that was committed.
    at double precision,
    next_worker_key bigint not null,
    next_recovery_id bigint not null,
    next_checkpoint_id bigint not null,
    -- JSON; null before the first.
    totals text
  );
  insert into commits values (0, '00000000-0000-0000-0000-000000000000', 0, null, 1, 1, 1, null);

  -- Written with every batch that touches the job.
  create table jobs (
    key bigint primary key,
    id text not null unique,
    generation bigint not null,
    client_id text not null,
    owner text,
    name text,
    status smallint not null,
    task_count integer not null,
    completed integer not null,
    failed integer not null,
    cancelled integer not null,
    cursors text not null,
    created_at double precision not null,
    started_at double precision,
    completed_at double precision,
    cancelled_at double precision,
    held_at double precision,
    expires_at double precision,
    stored_bytes bigint not null,
    error text,
    -- What was submitted, but what is in columns of its own: JSON.
    spec text not null
  ) with (fillfactor = 50);
  -- None names a column that changes while a job runs: then a new version of a row needs no new entries.
  -- Lists have orders that the primary key does not have, and those of all another than those of one owner: a page is
  -- never looked for among the jobs of others.
  create index jobs_by_status on jobs (generation, status, (key + 0));
  create index jobs_by_client on jobs (generation, client_id, status, (key + 0));
  create index jobs_by_name on jobs (generation, name, (key + 0)) where name is not null;
  create index jobs_by_end on jobs (right(id, 4), (key + 0));
  create index jobs_ended on jobs (generation, completed_at, key) where completed_at is not null;
  create index jobs_kept on jobs (generation, completed_at, key)
    where completed_at is not null and expires_at is null;
  create index jobs_expiring on jobs (generation, expires_at, key) where expires_at is not null;
  create index own_jobs_by_status on jobs (owner, generation, status, (0 + key))
    where owner is not null;
  create index own_jobs_by_client on jobs (owner, generation, client_id, status, (0 + key))
    where owner is not null;
  create index own_jobs_by_name on jobs (owner, generation, name, (0 + key))
    where owner is not null and name is not null;
  create index own_jobs_by_beginning on jobs (owner, (id || '')) where owner is not null;
  create index own_jobs_by_end on jobs (owner, right(id, 4), (0 + key)) where owner is not null;
  create index own_jobs_ended on jobs (owner, generation, completed_at, key)
    where owner is not null and completed_at is not null;

  create table task_priorities (job_key bigint primary key, priorities bytea not null);

  -- Jobs with the same program share a text.
  create table programs (sha256 text primary key, json text not null);
  create table job_programs (job_key bigint primary key, sha256 text not null);
  create index job_programs_by_program on job_programs (sha256);

  -- One row per input. Range jobs have none.
  create table inputs (
    job_key bigint not null,
    task_index integer not null,
    json text not null,
    primary key (job_key, task_index)
  );
  -- Jobs whose inputs arrive and which nobody sees yet; dropped: to be swept.
  create table staged (job_key bigint primary key, member uuid not null, dropped boolean not null);

  create table tasks (
    job_key bigint not null,
    task_index integer not null,
    status smallint not null,
    attempt integer not null,
    worker_id text,
    token text,
    accepted_attempt integer,
    errors integer not null,
    losses integer not null,
    timeouts integer not null,
    not_before double precision not null,
    avoid text not null,
    assigned_at double precision,
    started_at double precision,
    completed_at double precision,
    run_ms double precision,
    error_type text,
    error_message text,
    others text not null,
    run_before_ms double precision,
    account text,
    result_json text,
    primary key (job_key, task_index)
  );
  -- Pending, assigned and failed: what a start and a retry look for. And those that were cancelled while somebody
  -- had them, which are few, for the map of a job.
  create index tasks_unfinished on tasks (job_key, status, task_index) where status in (0, 1, 3);
  create index tasks_cancelled on tasks (job_key, task_index) where status = 4;

  create table attempts (
    job_key bigint not null,
    task_index integer not null,
    attempt integer not null,
    count integer not null,
    worker_id text not null,
    token text,
    outcome text not null,
    error_type text not null,
    error_message text not null,
    assigned_at double precision not null,
    started_at double precision,
    ended_at double precision not null,
    account text,
    owner text,
    primary key (job_key, task_index, attempt)
  );
  create index attempts_by_worker on attempts (worker_id, ended_at, job_key, task_index, attempt);
  create index own_attempts on attempts (owner, worker_id, ended_at, job_key, task_index, attempt)
    where owner is not null;

  create table traces (
    job_key bigint not null,
    task_index integer not null,
    attempt integer not null,
    stack text,
    output text,
    primary key (job_key, task_index, attempt)
  );

  create table workers (
    id text primary key,
    key bigint not null,
    generation bigint not null,
    token_hash text not null,
    name text,
    type text not null,
    platform text not null,
    slots integer not null,
    kinds text not null,
    labels text not null,
    isolation text not null,
    version text,
    lease_ms double precision,
    lease_now_ms double precision,
    task_memory_mb double precision,
    registered_at double precision not null,
    joined text,
    given_name text,
    waits_until double precision,
    draining text,
    quarantine text,
    deregistered_at double precision,
    may_return boolean not null,
    away_since double precision,
    total_completed bigint not null,
    total_failed bigint not null,
    busy_ms double precision not null,
    smoothed_task_ms double precision,
    energy_joules double precision not null
  ) with (fillfactor = 50);
  create index workers_registered on workers (generation, key) where deregistered_at is null;
  create index workers_departed on workers (generation, key) where deregistered_at is not null;
  create index workers_forgotten on workers (generation, deregistered_at, id)
    where may_return and deregistered_at is not null;

  create table recoveries (
    id bigint primary key,
    job_key bigint not null,
    task_index integer not null,
    from_worker_id text not null,
    to_worker_id text,
    reason text not null,
    attempt integer not null,
    next_attempt integer,
    checkpoint_id text,
    resumed_from_progress double precision,
    lost_at double precision not null,
    resumed_at double precision,
    work_saved_seconds double precision not null,
    time_lost_seconds double precision not null,
    outcome text not null,
    owner text
  );
  create index recoveries_by_job on recoveries (job_key, id);
  -- What a start looks for.
  create index recoveries_unfinished on recoveries (job_key, id)
    where outcome = 'requeued' or resumed_at is null and outcome in ('resumed', 'restarted');
  create index own_recoveries on recoveries (owner, id) where owner is not null;

  create table idempotency_keys (
    key text primary key,
    job_key bigint not null,
    body_hash text not null,
    created_at double precision not null
  );
  create index idempotency_keys_by_job on idempotency_keys (job_key);

  -- Counted up in place, in buckets of ten seconds.
  create table work (
    bucket_at double precision not null,
    job_key bigint not null,
    worker_id text not null,
    completed bigint not null,
    failed bigint not null,
    retried bigint not null,
    completed_ms double precision not null,
    busy_ms double precision not null,
    energy_joules double precision not null,
    wasted_ms double precision not null,
    owner text,
    primary key (bucket_at, job_key, worker_id)
  ) with (fillfactor = 50);
  create index work_by_job on work (job_key, bucket_at, worker_id);
  create index own_work on work (owner, bucket_at, job_key, worker_id) where owner is not null;

  -- The same in buckets of a second, of all workers.
  create table work_seconds (
    second_at double precision not null,
    job_key bigint not null,
    completed bigint not null,
    failed bigint not null,
    owner text,
    primary key (second_at, job_key)
  ) with (fillfactor = 50);
  create index work_seconds_by_job on work_seconds (job_key, second_at);
  create index own_work_seconds on work_seconds (owner, second_at, job_key) where owner is not null;

  -- Sums of the work of hours and days that are over.
  create table work_sums (
    span_ms bigint not null,
    begins_at double precision not null,
    -- Who is making it; null: it is made.
    draft uuid,
    -- Of each worker, at the same place of each array.
    worker_ids text[],
    completed bigint[],
    failed bigint[],
    retried bigint[],
    completed_ms double precision[],
    busy_ms double precision[],
    energy_joules double precision[],
    wasted_ms double precision[],
    primary key (span_ms, begins_at)
  );

  create table checkpoints (
    id bigint primary key,
    job_key bigint not null,
    task_index integer not null,
    attempt integer not null,
    sequence integer not null,
    worker_id text not null,
    progress double precision not null,
    size_bytes bigint not null,
    stored_bytes bigint not null,
    sha256 text not null,
    run_ms double precision not null,
    created_at double precision not null,
    owner text
  );
  create index checkpoints_by_job on checkpoints (job_key, id);
  create index checkpoints_by_task on checkpoints (job_key, task_index, id);
  create index own_checkpoints on checkpoints (owner, id) where owner is not null;

  -- States that are kept, with the id of their checkpoint: JSON text, that gzipped, or the hash of a blob.
  create table checkpoint_states (
    id bigint primary key,
    job_key bigint not null,
    task_index integer not null,
    json text,
    gzip bytea,
    blob text
  );
  alter table checkpoint_states alter gzip set storage external;
  create index checkpoint_states_by_task on checkpoint_states (job_key, task_index, id);
  create index checkpoint_states_by_blob on checkpoint_states (blob) where blob is not null;

  -- Generation 0 and no name: not whole yet, when it is of a living member; else to be swept.
  create table blobs (
    key bigint primary key generated always as identity,
    generation bigint not null,
    sha256 text unique,
    size_bytes bigint not null,
    touched_at double precision not null,
    member uuid
  );
  create index blobs_by_age on blobs (generation, touched_at, key);
  create table blob_chunks (
    blob_key bigint not null,
    number integer not null,
    bytes bytea not null,
    primary key (blob_key, number)
  );
  alter table blob_chunks alter bytes set storage external;

  create table blob_references (
    job_key bigint not null,
    sha256 text not null,
    owner text,
    primary key (job_key, sha256)
  );
  create index blob_references_by_blob on blob_references (sha256, job_key);
  create index own_blob_references on blob_references (owner, sha256, job_key)
    where owner is not null;
  -- Who has shown that the bytes are known there; goes with the blob. Brought: somebody else (a worker) has put
  -- it, and a job of the owner refers to it: it counts, and gives no right.
  create table blob_owners (
    blob_key bigint not null,
    owner text not null,
    brought boolean not null,
    primary key (blob_key, owner)
  );
  create index blob_owners_by_owner on blob_owners (owner, blob_key);

  create table notifications (
    id bigint primary key,
    job_key bigint not null,
    target integer not null,
    host text not null,
    status text not null,
    completed integer not null,
    failed integer not null,
    cancelled integer not null,
    started_at double precision,
    ended_at double precision not null,
    attempts integer not null,
    outcome text not null,
    -- Null: nothing is to be done any more.
    next_at double precision,
    answer text,
    tried_at double precision
  );
  create index notifications_of_job on notifications (job_key, id);
  create index notifications_due on notifications (next_at, id) where next_at is not null;
  create index notifications_by_host on notifications (host, next_at, id) where next_at is not null;

  -- SHA-256 of the text of each token.
  create table tokens (
    id text primary key,
    kind text not null,
    hash text not null unique,
    owner text not null,
    label text,
    created_at double precision not null,
    expires_at double precision,
    last_used_at double precision,
    quota text not null,
    uses_left bigint,
    revoked_at double precision,
    worker_id text,
    labels text not null,
    needs_approval boolean not null,
    joined_by text,
    given_name text
  );
  -- Of workers there may be many, of all others there are few.
  create index tokens_listed on tokens (created_at, id) where kind <> 'worker';
  create index tokens_by_worker on tokens (worker_id) where worker_id is not null;
  create index tokens_of_workers on tokens (created_at desc, id)
    where kind = 'worker' and revoked_at is null;

  -- Rows are only added, and trimmed from the oldest on. Ids rise with every commit.
  create table audit (
    id bigint primary key,
    at double precision not null,
    action text not null,
    object text,
    outcome text not null,
    code text,
    count bigint not null,
    token_id text,
    role text,
    owner text,
    address text
  );
  create index audit_done on audit (id) where outcome = 'done';
  create index audit_refused on audit (id) where outcome <> 'done';

  -- Every configuration of the scheduler that was set: JSON, oldest first.
  create table scheduler_changes (id bigint primary key, config text not null);
`);
