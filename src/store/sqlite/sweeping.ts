// Deletes rows that nobody can see any more, a little at a time: jobs of cleared generations with all their
// rows, inputs of dropped submissions, workers and blobs of cleared generations. Deleted jobs, collected
// blobs and unfinished ones have been given such a generation. All are found by an index: a call with
// nothing to do costs four look-ups.

import type { DatabaseSync } from 'node:sqlite';
import { RowsOfJob } from './rows-of-job.ts';
import type { BlobTable } from './tables/blob-table.ts';
import type { ProgramTable } from './tables/program-table.ts';
import { prepare, type Statement } from './tables/statement.ts';

/** A row may drag a megabyte along: a call also ends when it has taken this long. */
const maxMs = 10;
const rowsPerStep = 128;
/** Rows per step of states and chunks, each of which may be large. */
const largeRowsPerStep = 8;

export class Sweeping {
  readonly #blobs: BlobTable;
  readonly #programs: ProgramTable;
  readonly #dropped: Statement;
  readonly #oldJob: Statement;
  /** In the order in which they are deleted. */
  readonly #ofJob: readonly RowsOfJob[];
  readonly #ofDropped: readonly RowsOfJob[];
  readonly #deleteStaged: Statement;
  readonly #deleteJob: readonly Statement[];
  readonly #oldWorker: Statement;
  readonly #deleteWorkers: Statement;

  constructor(db: DatabaseSync, blobs: BlobTable, programs: ProgramTable) {
    this.#blobs = blobs;
    this.#programs = programs;
    this.#dropped = prepare(db, 'select job_key from staged where dropped = 1 limit 1');
    this.#oldJob = prepare(db, 'select key from jobs where generation < ? limit 1');
    const ofJob = (table: string, key: string) => new RowsOfJob(db, { table, key, by: 'job_key' });
    const ofTasks = (table: string, key: string, by: 'key' | 'task_key', atOnce = Infinity) =>
      new RowsOfJob(db, { table, key, by, atOnce });
    const inputs = ofTasks('inputs', 'key', 'key');
    const references = ofJob('blob_references', 'job_key, sha256');
    this.#ofDropped = [inputs, references];
    this.#ofJob = [
      ofTasks('tasks', 'key', 'key'),
      ofTasks('dispatches', 'key', 'key', largeRowsPerStep),
      ofTasks('attempts', 'task_key, attempt', 'task_key'),
      inputs,
      ofTasks('checkpoint_states', 'id', 'task_key', largeRowsPerStep),
      ofTasks('traces', 'task_key, attempt', 'task_key', largeRowsPerStep),
      references,
      ofJob('checkpoints', 'id'),
      ofJob('recoveries', 'id'),
      ofJob('notifications', 'id'),
      ofJob('idempotency_keys', 'key'),
      ofJob('work', 'bucket_at, job_key, worker_id'),
      ofJob('work_seconds', 'second_at, job_key'),
    ];
    this.#deleteStaged = prepare(db, 'delete from staged where job_key = ?');
    this.#deleteJob = [
      prepare(db, 'delete from task_priorities where job_key = ?'),
      prepare(db, 'delete from jobs where key = ?'),
    ];
    this.#oldWorker = prepare(db, 'select 1 from workers where generation < ? limit 1');
    this.#deleteWorkers = prepare(
      db,
      'delete from workers where id in (select id from workers where generation < ? limit ?)',
    );
  }

  /** Whether there is anything to sweep. */
  isNeeded(generation: number): boolean {
    return (
      this.#dropped.get() !== undefined ||
      this.#nextJob(generation) !== undefined ||
      this.#oldWorker.get(generation) !== undefined ||
      this.#blobs.findGone(generation) !== undefined
    );
  }

  /** True when there is more to do. */
  run(generation: number, rows: number): boolean {
    const startedAt = performance.now();
    for (let left = rows; left > 0; ) {
      const deleted = this.#step(generation, Math.min(left, rowsPerStep));
      if (deleted === 0) return false;
      left -= deleted;
      if (performance.now() - startedAt > maxMs) break;
    }
    return true;
  }

  #step(generation: number, limit: number): number {
    const dropped = this.#dropped.get()?.[0] as number | undefined;
    if (dropped !== undefined) {
      const { rows, hasMore } = deleteRows(this.#ofDropped, dropped, limit);
      return hasMore ? rows : rows + run(this.#deleteStaged, dropped);
    }
    const job = this.#nextJob(generation);
    if (job !== undefined) return this.#fromJob(job, limit);
    const workers = run(this.#deleteWorkers, generation, limit);
    if (workers > 0) return workers;
    const blob = this.#blobs.findGone(generation);
    return blob === undefined ? 0 : this.#blobs.deleteSome(blob, Math.min(limit, largeRowsPerStep));
  }

  /** The row of the job is deleted last, so that the next call finds what is left of the job. */
  #fromJob(jobKey: number, limit: number): number {
    const { rows, hasMore } = deleteRows(this.#ofJob, jobKey, limit);
    if (hasMore) return rows;
    return this.#deleteJob.reduce(
      (count, statement) => count + run(statement, jobKey),
      rows + this.#programs.remove(jobKey),
    );
  }

  #nextJob(generation: number): number | undefined {
    return this.#oldJob.get(generation)?.[0] as number | undefined;
  }
}

/** From one table after the other, until some are deleted; tells whether there may be more. */
function deleteRows(
  tables: readonly RowsOfJob[],
  jobKey: number,
  limit: number,
): { readonly rows: number; readonly hasMore: boolean } {
  let rows = 0;
  for (const table of tables) {
    const deleted = table.delete(jobKey, limit - rows);
    rows += deleted.rows;
    if (deleted.hasMore) return { rows, hasMore: true };
  }
  return { rows, hasMore: false };
}

function run(statement: Statement, ...values: number[]): number {
  return Number(statement.run(...values).changes);
}
