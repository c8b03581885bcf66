// Programs by their content: jobs with the same one share a row. `sha256_of_program` is
// defined by whoever opens the file.

export const programs = `
  alter table programs rename to programs_by_job;

  create table programs (
    key integer primary key,
    sha256 text not null unique,
    json text not null
  ) strict;
  insert into programs (sha256, json)
    select sha256_of_program(job_key), json from programs_by_job where true
    on conflict (sha256) do nothing;

  create table job_programs (job_key integer primary key, program_key integer not null) strict;
  create index job_programs_by_program on job_programs (program_key);
  insert into job_programs
    select job_key, key from programs_by_job
    join programs on programs.sha256 = sha256_of_program(job_key);

  drop table programs_by_job;
`;
