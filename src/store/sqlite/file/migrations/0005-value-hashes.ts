// A hash beside every value that is handed out again, compared whenever it is read
// (`value-hash.ts`). Values of before have none, and are handed out as they are; but which job has which
// program was written a step before. `hash_of_program_name` is defined by whoever opens the file.

export const valueHashes = `
  -- Jobs from this key on have a hash beside every value: one without is damaged.
  alter table meta add column hashed_from integer not null default 1;
  update meta set hashed_from = next_job_key;
  -- Behind the result, and read only with it.
  alter table tasks add column hash integer;
  alter table attempts add column hash integer;
  alter table inputs add column hash integer;
  -- Of the program's own hash: which job has which.
  alter table job_programs add column hash integer;
  update job_programs set hash = hash_of_program_name(
    job_key, (select sha256 from programs where key = program_key));
  alter table blob_chunks add column hash integer;
`;
