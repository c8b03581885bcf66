// Deletes rows that nobody can see any more, a little at a time: jobs of cleared generations with all their rows, inputs
// of dropped submissions, workers and blobs of cleared generations. Deleted jobs, collected blobs and unfinished ones
// have been given such a generation. All are found by an index. Every step is a short
// transaction of its own: a commit may wait for one, and none waits for a commit that waits for it.

import type { Reader } from './driver/reader.ts';
import type { Query, Row } from './driver/statement.ts';
import { deleteJobRows, deleteStagedRows } from './rows-of-jobs.ts';
import { sweepBlob } from './tables/blob-bytes.ts';
import { findSwept, isToBeSwept } from './tables/input-table.ts';
import { removePrograms } from './tables/program-table.ts';
import { generation } from './tables/visible.ts';

/** A row may drag a megabyte along: a call also ends when it has taken this long. */
const maxMs = 100;
const rowsPerStep = 500;
const jobsPerStep = 50;
/** Each is a quarter of a megabyte. */
const chunksPerStep = 32;

/** However many rows the planner believes a job to have: to find some, the rest is neither read nor sorted. */
const indexesOnly = `select set_config('enable_seqscan', 'off', true),
  set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`;

const oldJobs = `from jobs where generation < ${generation} order by generation, status, key + 0`;
const oldWorkers = (isRegistered: boolean) => `select id from workers
  where generation < ${generation} and deregistered_at is ${isRegistered ? 'null' : 'not null'}
  order by generation, key`;
const newestSequence = '(select max(sequence) from commits)';

/** Nothing is found by who is not the newest writer: what it takes for left over may be somebody's who lives. */
const findText = `select (select job_key from staged where ${isToBeSwept('$1')} order by job_key limit 1),
    (select key ${oldJobs} limit 1),
    coalesce((${oldWorkers(true)} limit 1), (${oldWorkers(false)} limit 1))
  from commits join terms on terms.term = commits.term
  where commits.sequence = ${newestSequence} and terms.member = $1`;

export class Sweeping {
  readonly #reader: Reader;
  readonly #member: string;

  constructor(reader: Reader, member: string) {
    this.#reader = reader;
    this.#member = member;
  }

  /** True when there is more to do. */
  async run(rows: number): Promise<boolean> {
    const startedAt = performance.now();
    for (let left = rows; left > 0; ) {
      const deleted = await this.#step(Math.min(left, rowsPerStep));
      if (deleted === 0) return false;
      left -= deleted;
      if (performance.now() - startedAt > maxMs) break;
    }
    return true;
  }

  async #step(limit: number): Promise<number> {
    const [found] = await this.#reader.query(findText, [this.#member]);
    if (found === undefined) return 0;
    const [hasDropped, hasJob, hasWorker] = found.map((cell) => cell !== null);
    if (hasDropped) return this.#write((query) => sweepStaged(query, this.#member, limit));
    if (hasJob) return this.#sweepJobs(limit);
    if (hasWorker) return this.#write((query) => sweepWorkers(query, limit));
    return this.#write((query) => sweepBlob(query, this.#member, Math.min(limit, chunksPerStep)));
  }

  /** The rows of the jobs themselves are deleted last, so that the next call finds what is left of them. */
  async #sweepJobs(limit: number): Promise<number> {
    const keys = await listOldJobs(this.#reader.query, Math.min(limit, jobsPerStep));
    const { rows, hasMore } = await this.#write((query) => deleteJobRows(query, keys, limit));
    return hasMore ? rows : rows + (await this.#write((query) => removeJobs(query, keys)));
  }

  #write<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#reader.writeUnsynced(async (query) => {
      await query(indexesOnly);
      return work(query);
    });
  }
}

async function sweepStaged(query: Query, member: string, limit: number): Promise<number> {
  const jobKey = await findSwept(query, member);
  if (jobKey === undefined) return 0;
  const { rows, hasMore } = await deleteStagedRows(query, jobKey, limit);
  if (hasMore) return rows;
  await query('delete from staged where job_key = $1', [jobKey]);
  return rows + 1;
}

async function listOldJobs(query: Query, limit: number): Promise<readonly number[]> {
  const rows = await query(`select key ${oldJobs} limit $1`, [limit]);
  return rows.map(([key]) => key as number);
}

const removeText = `with priorities_gone as
    (delete from task_priorities where job_key = any($1::bigint[]) returning 1),
  jobs_gone as (delete from jobs where key = any($1::bigint[]) and generation < ${generation}
    and not exists (select 1 from idempotency_keys where job_key = jobs.key) returning 1)
  select (select count(*) from priorities_gone), (select count(*) from jobs_gone)`;

async function removeJobs(query: Query, keys: readonly number[]): Promise<number> {
  const programs = await removePrograms(query, keys);
  return programs + countOf(await query(removeText, [keys]));
}

/** One that registers anew at this moment is passed over. */
const workersText = (() => {
  const gone = (isRegistered: boolean) => `delete from workers
    where id = any(array(${oldWorkers(isRegistered)} limit $1 for update skip locked)) returning 1`;
  return `with registered as (${gone(true)}), departed as (${gone(false)})
    select (select count(*) from registered), (select count(*) from departed)`;
})();

async function sweepWorkers(query: Query, limit: number): Promise<number> {
  return countOf(await query(workersText, [limit]));
}

function countOf([row]: readonly Row[]): number {
  return (row as readonly number[]).reduce((sum, count) => sum + count, 0);
}
