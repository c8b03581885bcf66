// Inputs of jobs, and which of them are staged for a job that is not visible yet.

import type { JobPayload } from '../../rows.ts';
import type { Query, Statement, Value } from '../driver/statement.ts';
import { decodeText, encodeText } from '../driver/text.ts';
import { isLiving } from './coordinator-table.ts';
import { look, lookText } from './job-look.ts';
import { inLayers } from './row-shape.ts';

const unnested = 'unnest($1::bigint[], $2::integer[], $3::text[]) as r(job_key, task_index, json)';
const replaced = 'on conflict (job_key, task_index) do update set json = excluded.json';
const writeText = `insert into inputs (job_key, task_index, json)
  select r.job_key, r.task_index, r.json from ${unnested}
    where exists (select 1 from jobs where jobs.key = r.job_key)
  ${replaced}`;
const forsakeText = `update staged set dropped = true
  where job_key = any($1::bigint[]) and not exists (select 1 from jobs where jobs.key = staged.job_key)`;

/** Those of jobs that have a row; of others, cleared by the batch that submitted them, what was staged is dropped. */
export function inputStatements(payloads: readonly JobPayload[]): Statement[] {
  if (payloads.length === 0) return [];
  const given = payloads.filter(({ inputs }) => inputs.length > 0);
  return [
    ...inLayers(
      given,
      ({ jobKey }) => jobKey,
      (some) => ({ text: writeText, values: arrays(some) }),
    ),
    { text: forsakeText, values: [payloads.map(({ jobKey }) => jobKey)] },
  ];
}

function arrays(payloads: readonly JobPayload[]): Value[] {
  return [
    payloads.flatMap(({ jobKey, inputs }) => inputs.map(() => jobKey)),
    payloads.flatMap(({ inputs }) => inputs.map((_, index) => index)),
    payloads.flatMap(({ inputs }) => inputs.map(encodeText)),
  ];
}

/** Each was stored behind the one before, and a crash takes back the newest: when this one is there, all before it are. */
const hasInput = (jobKey: string, index: string) =>
  `exists (select 1 from inputs where inputs.job_key = ${jobKey} and inputs.task_index = ${index})`;

/** A row without a member is refused by the table, and with it the commit. */
const lackingText = `insert into staged (job_key, member, dropped)
  select r.job_key, null, false from unnest($1::bigint[], $2::integer[]) as r(job_key, count)
    where not exists (select 1 from staged where staged.job_key = r.job_key and not dropped)
      or not ${hasInput('r.job_key', 'r.count - 1')}`;

/**
 * From this commit on they belong to jobs that can be seen. Where some are not there that were staged for them, the commit
 * fails (`isLackingInputs`).
 */
export function revealStaged(
  jobKeys: readonly number[],
  payloads: readonly JobPayload[],
): Statement[] {
  const statements: Statement[] = [];
  const staged = payloads.flatMap(({ jobKey, staged: count }) =>
    count === undefined ? [] : [{ jobKey, count }],
  );
  if (staged.length > 0) {
    const keys = staged.map(({ jobKey }) => jobKey);
    const counts = staged.map(({ count }) => count);
    statements.push({ text: lackingText, values: [keys, counts] });
  }
  if (jobKeys.length > 0) {
    const text = 'delete from staged where job_key = any($1::bigint[])';
    statements.push({ text, values: [jobKeys] });
  }
  return statements;
}

/** For the first inputs. Whoever sweeps what was dropped holds the row: it stays, or is written again. */
const beginText = `insert into staged (job_key, member, dropped) values ($1, $2, false)
  on conflict (job_key) do update set dropped = false
    where not staged.dropped and staged.member = excluded.member
  returning job_key`;
/** For those that follow. The row stays until the end of the transaction. */
const followText = `select job_key from staged
  where job_key = $1 and member = $2 and not dropped and ${hasInput('$1', '$3 - 1')} for share`;
const stageText = `insert into inputs (job_key, task_index, json)
  select $1, $2 + r.place - 1, r.json from unnest($3::text[]) with ordinality as r(json, place)
  ${replaced}`;
const referText = `insert into blob_references (job_key, sha256)
  select $1, sha256 from unnest($2::text[]) as r(sha256) on conflict do nothing`;

interface StagedInputs {
  readonly jobKey: number;
  readonly fromIndex: number;
  readonly inputs: readonly string[];
  /** Hashes that they refer to. */
  readonly blobs: readonly string[];
}

/** False when the input before them is not there, or all were dropped. */
export async function stageInputs(
  query: Query,
  member: string,
  { jobKey, fromIndex, inputs, blobs }: StagedInputs,
): Promise<boolean> {
  const found =
    fromIndex === 0
      ? await query(beginText, [jobKey, member])
      : await query(followText, [jobKey, member, fromIndex]);
  if (found.length === 0) return false;
  await query(stageText, [jobKey, fromIndex, inputs.map(encodeText)]);
  if (blobs.length > 0) await query(referText, [jobKey, blobs.map(encodeText)]);
  return true;
}

const sealText = `update staged set member = $4
  where job_key = $1 and member in ($2, $4) and not dropped and ${hasInput('$1', '$3 - 1')}
  returning job_key`;

/**
 * False when not all of so many inputs are there, as `by` has staged them: they are the member's from now on. It writes
 * something in any case, so that there is something to wait for. One that was cut off may be there, and is made again.
 */
export async function sealStaged(
  query: Query,
  member: string,
  { jobKey, count, by }: { jobKey: number; count: number; by: string },
): Promise<boolean> {
  return (await query(sealText, [jobKey, by, count, member])).length > 0;
}

/** What belongs to none of these members any more stays. */
export async function dropStaged(
  query: Query,
  members: readonly string[],
  jobKey: number,
): Promise<void> {
  const text = 'update staged set dropped = true where job_key = $1 and member = any($2)';
  await query(text, [jobKey, members]);
}

/** What was left by somebody who is gone: a writer of before, or a member that was not seen for a while. */
const isLeft = (member: string) =>
  `(staged.member <> ${member} and not ${isLiving('staged.member')})`;

const dropAllText = `update staged set dropped = true where job_key = any(array(
  select job_key from staged where not dropped and ${isLeft('$1')} for update skip locked))`;

/** What other processes have left is dropped. One that is frozen amid storing more is not waited for: it is swept later. */
export async function dropAllStaged(query: Query, member: string): Promise<void> {
  await query(dropAllText, [member]);
}

/** Nobody needs its inputs any more. */
export const isToBeSwept = (member: string) => `(staged.dropped or ${isLeft(member)})`;

const sweptText = `update staged set dropped = true
  where job_key = (select job_key from staged where ${isToBeSwept('$1')}
    order by job_key limit 1 for update skip locked)
  returning job_key`;

/** One whose inputs nobody needs. Who stages more for it waits until the end of the transaction, and then may not. */
export async function findSwept(query: Query, member: string): Promise<number | undefined> {
  const [row] = await query(sweptText, [member]);
  return row?.[0] as number | undefined;
}

/** Each is looked up by its key, whatever the planner believes. */
const readText = lookText(
  `select wanted.place, input.json
    from unnest($2::integer[]) with ordinality as wanted(task_index, place)
    cross join lateral (select inputs.json from inputs
      where inputs.job_key = jobs.key and inputs.task_index = wanted.task_index offset 0) as input`,
  'found.place',
);

/** In the order of the indices; none when the job cannot be seen. */
export async function readInputs(
  query: Query,
  jobKey: number,
  indices: readonly number[],
): Promise<readonly string[]> {
  if (indices.length === 0) return [];
  const found = await look(query, readText, jobKey, [indices]);
  if (found === undefined) return [];
  const { rows } = found;
  if (rows.length !== indices.length) throw new Error(`job ${jobKey} lacks some of its inputs`);
  return rows.map(([, json]) => decodeText(json as string));
}
