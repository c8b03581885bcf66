// Programs, each stored once under the SHA-256 of its JSON text, and which job has which. A program goes with the last
// of its jobs.

import type { JobPayload, ProgramText } from '../../rows.ts';
import type { Query, Statement } from '../driver/statement.ts';
import { decodeText, encodeText } from '../driver/text.ts';
import { isVisible } from './visible.ts';

/**
 * One that is there already stays as it is, and is locked: so nobody removes it, not having seen the job that has it
 * from this commit on. In the order of hashes, as `removePrograms` locks them: nobody waits for another who waits for it.
 */
const insertText = `insert into programs (sha256, json)
  select r.sha256, r.json from unnest($1::text[], $2::text[]) as r(sha256, json)
    where exists (select 1 from unnest($3::bigint[], $4::text[]) as refers(job_key, sha256)
      join jobs on jobs.key = refers.job_key where refers.sha256 = r.sha256)
    order by r.sha256
  on conflict (sha256) do update set json = excluded.json where false`;
const referText = `insert into job_programs (job_key, sha256)
  select r.job_key, r.sha256 from unnest($1::bigint[], $2::text[]) as r(job_key, sha256)
    join jobs on jobs.key = r.job_key
  on conflict do nothing`;

/** Those of jobs that have a row. */
export function programStatements(payloads: readonly JobPayload[]): Statement[] {
  if (payloads.length === 0) return [];
  const programs = new Map(payloads.map(({ program }) => [program.sha256, program.json]));
  const stored = [[...programs.keys()], [...programs.values()]].map((cells) =>
    cells.map(encodeText),
  );
  const refers = [
    payloads.map(({ jobKey }) => jobKey),
    payloads.map(({ program }) => encodeText(program.sha256)),
  ];
  return [
    { text: insertText, values: [...stored, ...refers] },
    { text: referText, values: refers },
  ];
}

const ofJob = `from jobs join job_programs on job_programs.job_key = jobs.key
  join programs on programs.sha256 = job_programs.sha256
  where jobs.key = $1 and ${isVisible('jobs')}`;
const findText = `select programs.sha256, programs.json ${ofJob}`;
const findHashText = `select programs.sha256 ${ofJob}`;

/** Undefined when the job cannot be seen. */
export async function findProgram(query: Query, jobKey: number): Promise<ProgramText | undefined> {
  const [row] = await query(findText, [jobKey]);
  return row && { sha256: decodeText(row[0] as string), json: decodeText(row[1] as string) };
}

export async function findProgramHash(query: Query, jobKey: number): Promise<string | undefined> {
  const [row] = await query(findHashText, [jobKey]);
  return row && decodeText(row[0] as string);
}

const ofJobsText = 'select distinct sha256 from job_programs where job_key = any($1::bigint[])';
const lockText = 'select 1 from programs where sha256 = any($1::text[]) order by sha256 for update';
const letGoText = 'delete from job_programs where job_key = any($1::bigint[]) returning 1';
const deleteText = `delete from programs where sha256 = any($1::text[])
    and not exists (select 1 from job_programs where job_programs.sha256 = programs.sha256)
  returning 1`;

/** Removes those that only these jobs have; returns how many rows. A transaction of its own, since it waits for commits. */
export async function removePrograms(query: Query, jobKeys: readonly number[]): Promise<number> {
  const hashes = (await query(ofJobsText, [jobKeys])).map(([sha256]) => sha256!);
  if (hashes.length === 0) return 0;
  await query(lockText, [hashes]);
  const letGo = await query(letGoText, [jobKeys]);
  // A statement of its own sees who has got one of them while this one waited.
  return letGo.length + (await query(deleteText, [hashes])).length;
}
