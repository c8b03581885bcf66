// Reads the visitors of a batch. Of each kind all are asked for at once; a frame of a worker may name thousands, so some
// at a time, with turns of the event loop in between. The writer reads them before it decides: nothing that can be seen
// changes meanwhile.

import type { JobRow, StoredTask, WorkerRow } from '../rows.ts';
import { Turns } from '../turns.ts';
import { seenThrough } from '../visibility.ts';
import type { BlobSize, Held, VisitorRows, WantedRows, Writing } from '../writing.ts';
import type { PostgresBlobs } from './blobs.ts';
import type { Reader } from './driver/reader.ts';
import { findKeys } from './tables/idempotency-table.ts';
import { findJobs, listExpiring, seeJobs } from './tables/job-lists.ts';
import { completeTasks } from './tables/stored-tasks.ts';
import { findTasks } from './tables/task-table.ts';
import { findWorkers } from './tables/worker-table.ts';

/** Rows of a statement. */
const atOnce = 500;
/** Their priorities may be megabytes. */
const jobsAtOnce = 50;

export class PostgresVisitorReading implements Pick<Writing, 'readVisitors'> {
  readonly #reader: Reader;
  readonly #blobs: Pick<PostgresBlobs, 'touchAll'>;

  constructor(reader: Reader, blobs: Pick<PostgresBlobs, 'touchAll'>) {
    this.#reader = reader;
    this.#blobs = blobs;
  }

  async readVisitors(wanted: WantedRows, held: Held, at: number): Promise<VisitorRows> {
    const { query } = this.#reader;
    const [named, tasks, workers, blobs, expiring] = await Promise.all([
      this.#findNamed(wanted, held),
      this.#findTasks(wanted),
      this.#findWorkers(wanted),
      this.#touchBlobs(wanted, at),
      wanted.expiring === undefined ? [] : listExpiring(query, wanted.expiring),
    ]);
    return { ...named, tasks, workers, blobs, expiring };
  }

  async #findNamed(
    wanted: WantedRows,
    held: Held,
  ): Promise<Pick<VisitorRows, 'idempotencyKeys' | 'jobs'>> {
    const { query } = this.#reader;
    const keys = [...wanted.idempotencyKeys];
    const idempotencyKeys = await findSome(keys, atOnce, (some) => findKeys(query, some));
    const ofKeys = idempotencyKeys.map(({ jobId }) => jobId);
    const named = new Set([...wanted.jobs, ...ofKeys, ...wanted.tasks.keys()]);
    const missing = [...named].filter((id) => !held.has(id));
    const jobs = await findSome<string, JobRow>(missing, jobsAtOnce, (ids) => findJobs(query, ids));
    return { idempotencyKeys, jobs };
  }

  async #findTasks({ tasks }: WantedRows): Promise<readonly StoredTask[]> {
    const { query } = this.#reader;
    const seen = await findSome([...tasks.keys()], atOnce, (ids) => seeJobs(query, ids));
    const jobs = new Map(seen.map((job) => [job.key, job]));
    const ids = new Map(seen.map(({ key, id }) => [key, id]));
    const places = seen.flatMap(({ key: jobKey, id, taskCount }) =>
      [...(tasks.get(id) ?? [])]
        .filter((index) => index < taskCount)
        .map((index) => ({ jobKey, index })),
    );
    return findSome(places, atOnce, async (some) => {
      const rows = await findTasks(query, some);
      const read = rows.map((row) => seenThrough(jobs.get(row.jobKey)!, row));
      return completeTasks(query, read, ids);
    });
  }

  async #findWorkers({ workers }: WantedRows): Promise<readonly WorkerRow[]> {
    const { query } = this.#reader;
    const rows = await findSome([...workers], atOnce, (ids) => findWorkers(query, ids));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return [...workers].flatMap((id) => byId.get(id) ?? []);
  }

  #touchBlobs(wanted: WantedRows, at: number): Promise<readonly BlobSize[]> {
    return findSome([...wanted.blobs], atOnce, (hashes) => this.#blobs.touchAll(hashes, at));
  }
}

/** Asks for so many at a time; for nothing when nothing is named. */
async function findSome<N, R>(
  names: readonly N[],
  size: number,
  find: (names: readonly N[]) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  const turns = new Turns();
  const found: R[] = [];
  for (let from = 0; from < names.length; from += size) {
    found.push(...(await find(names.slice(from, from + size))));
    await turns.rest();
  }
  return found;
}
