// Whose jobs are, and which blobs somebody has put. Null: the admin's, as is everything of before; it is in
// none of the indexes, so that they cost nothing where there is one owner.

export const owners = `
  alter table jobs add column owner text;
  create index own_jobs_by_status on jobs (owner, generation, status, key) where owner is not null;
  create index own_jobs_by_client on jobs (owner, generation, client_id, status, key)
    where owner is not null;
  create index own_jobs_by_name on jobs (owner, generation, name, key)
    where owner is not null and name is not null;
  create index own_jobs_by_beginning on jobs (owner, id) where owner is not null;
  create index own_jobs_by_end on jobs (owner, substr(id, -4), key) where owner is not null;
  create index own_jobs_ended on jobs
    (owner, generation, completed_at, key, created_at, status, task_count, completed, failed)
    where owner is not null and completed_at is not null;

  -- As in the table of jobs, for the indexes.
  alter table attempts add column owner text;
  create index own_attempts on attempts (owner, worker_id, ended_at, task_key, attempt)
    where owner is not null;
  alter table recoveries add column owner text;
  create index own_recoveries on recoveries (owner, id) where owner is not null;
  alter table checkpoints add column owner text;
  create index own_checkpoints on checkpoints (owner, id) where owner is not null;
  alter table work add column owner text;
  create index own_work on work (owner, bucket_at, job_key, worker_id) where owner is not null;
  alter table work_seconds add column owner text;
  create index own_work_seconds on work_seconds (owner, second_at, job_key) where owner is not null;
  alter table blob_references add column owner text;
  create index own_blob_references on blob_references (owner, sha256, job_key)
    where owner is not null;

  -- Who has shown that the bytes are known there; goes with the blob.
  create table blob_owners (
    blob_key integer not null,
    owner text not null,
    primary key (blob_key, owner)
  ) strict, without rowid;
`;
