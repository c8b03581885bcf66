// Deletes rows that nobody can see any more, a little at a time: jobs of cleared generations with all their
// rows, inputs of dropped submissions, workers and blobs of cleared generations. Deleted jobs, collected
// blobs and unfinished ones have been given such a generation. All are found by an index: a call with
// nothing to do costs four look-ups.

import type { DatabaseSync } from 'node:sqlite';
import { taskKey } from '../../core/task-key.ts';
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
  readonly #deleteInputs: Statement;
  readonly #deleteTasks: Statement;
  readonly #deleteAttempts: Statement;
  readonly #deleteTraces: Statement;
  readonly #deleteStates: Statement;
  readonly #deleteHistory: readonly Statement[];
  readonly #deleteReferences: Statement;
  readonly #deleteStaged: Statement;
  readonly #deleteJob: readonly Statement[];
  readonly #oldWorker: Statement;
  readonly #deleteWorkers: Statement;

  constructor(db: DatabaseSync, blobs: BlobTable, programs: ProgramTable) {
    this.#blobs = blobs;
    this.#programs = programs;
    const range = 'key >= ? and key < ? limit ?';
    this.#dropped = prepare(db, 'select job_key from staged where dropped = 1 limit 1');
    this.#oldJob = prepare(db, 'select key from jobs where generation < ? limit 1');
    this.#deleteInputs = prepare(
      db,
      `delete from inputs where key in (select key from inputs where ${range})`,
    );
    this.#deleteTasks = prepare(
      db,
      `delete from tasks where key in (select key from tasks where ${range})`,
    );
    this.#deleteAttempts = prepare(
      db,
      `delete from attempts where (task_key, attempt) in
        (select task_key, attempt from attempts where task_key >= ? and task_key < ? limit ?)`,
    );
    this.#deleteTraces = prepare(
      db,
      `delete from traces where (task_key, attempt) in
        (select task_key, attempt from traces where task_key >= ? and task_key < ? limit ?)`,
    );
    this.#deleteStates = prepare(
      db,
      `delete from checkpoint_states where id in
        (select id from checkpoint_states where task_key >= ? and task_key < ? limit ?)`,
    );
    const ofJob = (table: string, key: string) =>
      prepare(
        db,
        `delete from ${table} where (${key}) in
          (select ${key} from ${table} where job_key = ? limit ?)`,
      );
    this.#deleteReferences = ofJob('blob_references', 'job_key, sha256');
    this.#deleteHistory = [
      this.#deleteReferences,
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
      return (
        this.#fromRange([this.#deleteInputs], dropped, limit) ||
        run(this.#deleteReferences, dropped, limit) ||
        run(this.#deleteStaged, dropped)
      );
    }
    const job = this.#nextJob(generation);
    if (job !== undefined) return this.#fromJob(job, limit);
    const workers = run(this.#deleteWorkers, generation, limit);
    if (workers > 0) return workers;
    const blob = this.#blobs.findGone(generation);
    return blob === undefined ? 0 : this.#blobs.deleteSome(blob, Math.min(limit, largeRowsPerStep));
  }

  #fromJob(jobKey: number, limit: number): number {
    const tables = [this.#deleteTasks, this.#deleteAttempts, this.#deleteInputs];
    const deleted = this.#fromRange(tables, jobKey, limit);
    if (deleted > 0) return deleted;
    const large = Math.min(limit, largeRowsPerStep);
    const states = this.#fromRange([this.#deleteStates, this.#deleteTraces], jobKey, large);
    if (states > 0) return states;
    for (const table of this.#deleteHistory) {
      const rows = run(table, jobKey, limit);
      if (rows > 0) return rows;
    }
    return this.#deleteJob.reduce(
      (count, statement) => count + run(statement, jobKey),
      this.#programs.remove(jobKey),
    );
  }

  /** The row of the job is deleted last, so that the next call finds what is left of the job. */
  #fromRange(tables: readonly Statement[], jobKey: number, limit: number): number {
    for (const table of tables) {
      const deleted = run(table, taskKey(jobKey, 0), taskKey(jobKey + 1, 0), limit);
      if (deleted > 0) return deleted;
    }
    return 0;
  }

  #nextJob(generation: number): number | undefined {
    return this.#oldJob.get(generation)?.[0] as number | undefined;
  }
}

function run(statement: Statement, ...values: number[]): number {
  return Number(statement.run(...values).changes);
}
