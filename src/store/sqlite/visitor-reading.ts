// Reads the visitors of a batch. A frame of a worker may name thousands of jobs that do not exist, so some
// are looked up at a time, with turns of the event loop in between.

import type { IdempotencyRow, JobRow, StoredTask, TaskRow, WorkerRow } from '../rows.ts';
import { seenThrough } from '../visibility.ts';
import type {
  BlobSize,
  ExpiringWanted,
  Held,
  VisitorRows,
  WantedRows,
  Writing,
} from '../writing.ts';
import type { SqliteBlobs } from './blobs.ts';
import type { Connection } from './connection.ts';
import type { StoredTasks } from './stored-tasks.ts';
import type { JobGlance } from './tables/job-table.ts';
import type { Tables } from './tables/tables.ts';
import { Turns } from '../turns.ts';

/** Rows looked up without a turn in between: about a millisecond. */
const looksInARow = 100;

interface Sources {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly stored: StoredTasks;
  readonly blobs: SqliteBlobs;
}

export class SqliteVisitorReading implements Pick<Writing, 'readVisitors'> {
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  async readVisitors(wanted: WantedRows, held: Held, at: number): Promise<VisitorRows> {
    const turns = new Turns();
    const idempotencyKeys = await this.#findKeys(wanted, turns);
    const ofKeys = idempotencyKeys.map(({ jobId }) => jobId);
    const named = new Set([...wanted.jobs, ...ofKeys, ...wanted.tasks.keys()]);
    const missing = [...named].filter((id) => !held.has(id));
    return {
      idempotencyKeys,
      jobs: await this.#findJobs(missing, turns),
      tasks: await this.#findTasks(wanted, turns),
      workers: await this.#findWorkers(wanted, turns),
      blobs: await this.#touchBlobs(wanted, at, turns),
      expiring: wanted.expiring === undefined ? [] : await this.#expiring(wanted.expiring),
    };
  }

  #expiring({ limit, lists }: ExpiringWanted): Promise<readonly JobRow[]> {
    const { connection, tables } = this.#sources;
    return connection.read((generation) => tables.jobs.listExpiring(generation, lists, limit));
  }

  #findKeys(wanted: WantedRows, turns: Turns): Promise<readonly IdempotencyRow[]> {
    const { idempotencyKeys } = this.#sources.tables;
    const find = (key: string, generation: number) => idempotencyKeys.find(key, generation);
    return this.#findSome([...wanted.idempotencyKeys], find, turns);
  }

  #findJobs(ids: readonly string[], turns: Turns): Promise<readonly JobRow[]> {
    const { jobs } = this.#sources.tables;
    return this.#findSome(ids, (id, generation) => jobs.find(id, generation), turns);
  }

  #findWorkers(wanted: WantedRows, turns: Turns): Promise<readonly WorkerRow[]> {
    const { workers } = this.#sources.tables;
    const find = (id: string, generation: number) => workers.find(id, generation);
    return this.#findSome([...wanted.workers], find, turns);
  }

  async #findTasks({ tasks }: WantedRows, turns: Turns): Promise<readonly StoredTask[]> {
    const { tables, stored, connection } = this.#sources;
    const jobs = new Map<number, JobGlance>();
    const rows: TaskRow[] = [];
    for (const [jobId, indices] of tasks) {
      const key = await connection.read((generation) => tables.jobs.findKey(jobId, generation));
      await turns.rest();
      if (key === undefined) continue;
      const find = (index: number, generation: number) => {
        const job = jobs.get(key) ?? tables.jobs.see(key, generation);
        // Beyond its last one lie the tasks of other jobs.
        if (job === undefined || index >= job.taskCount) return undefined;
        jobs.set(key, job);
        const row = tables.tasks.find(key, index);
        return row && seenThrough(job, row);
      };
      rows.push(...(await this.#findSome([...indices], find, turns)));
    }
    return rows.length === 0 ? [] : connection.read(() => stored.complete(rows, jobs));
  }

  /** Those of a row are touched together: it costs one write, and none when nothing is there. */
  async #touchBlobs(wanted: WantedRows, at: number, turns: Turns): Promise<readonly BlobSize[]> {
    const touched: BlobSize[] = [];
    for (const hashes of inRows([...wanted.blobs])) {
      touched.push(...(await this.#sources.blobs.touchAll(hashes, at)));
      await turns.rest();
    }
    return touched;
  }

  async #findSome<N, R>(
    names: readonly N[],
    find: (name: N, generation: number) => R | undefined,
    turns: Turns,
  ): Promise<readonly R[]> {
    const found: R[] = [];
    for (const some of inRows(names)) {
      await this.#sources.connection.read((generation) => {
        for (const name of some) {
          const row = find(name, generation);
          if (row !== undefined) found.push(row);
        }
      });
      await turns.rest();
    }
    return found;
  }
}

function* inRows<N>(names: readonly N[]): Generator<readonly N[]> {
  for (let from = 0; from < names.length; from += looksInARow) {
    yield names.slice(from, from + looksInARow);
  }
}
