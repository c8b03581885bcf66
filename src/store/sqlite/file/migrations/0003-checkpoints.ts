// Checkpoints with their states, blobs, live attempts beside the newest one, quarantine, and work
// that was done twice. Jobs of before have no copies of attempts.

export const checkpoints = `
  alter table meta add column next_checkpoint_id integer not null default 1;
  -- Behind the result, but null in a row that has one: it is read without passing over that.
  alter table tasks add column others text;
  alter table workers add column quarantine text;
  alter table work add column wasted_ms real not null default 0;
  update jobs set spec = json_insert(spec, '$.speculation', null);

  create table checkpoints (
    id integer primary key,
    job_key integer not null,
    task_index integer not null,
    attempt integer not null,
    sequence integer not null,
    worker_id text not null,
    progress real not null,
    size_bytes integer not null,
    stored_bytes integer not null,
    sha256 text not null,
    run_ms real not null,
    created_at real not null
  ) strict;
  create index checkpoints_by_job on checkpoints (job_key, id);

  -- States that are kept, with the id of their checkpoint. Encodings: 0 JSON text, 1 that gzipped,
  -- 2 the hash of a blob.
  create table checkpoint_states (
    id integer primary key,
    task_key integer not null,
    encoding integer not null,
    content any not null
  ) strict;
  create index checkpoint_states_by_task on checkpoint_states (task_key, id);
  create index checkpoint_states_by_blob on checkpoint_states (content) where encoding = 2;

  -- Generation 0 and no name: not whole yet, or to be swept.
  create table blobs (
    key integer primary key,
    generation integer not null,
    sha256 text unique,
    size_bytes integer not null,
    touched_at real not null
  ) strict;
  create index blobs_by_age on blobs (generation, touched_at, key);

  -- key = blob key * 2^16 + number of the chunk.
  create table blob_chunks (key integer primary key, bytes blob not null) strict;

  create table blob_references (
    job_key integer not null,
    sha256 text not null,
    primary key (job_key, sha256)
  ) strict, without rowid;
  create index blob_references_by_blob on blob_references (sha256, job_key);
`;
