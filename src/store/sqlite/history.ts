// What evaluation and the lists of history ask. Rows of cleared and deleted jobs lie among the others
// until they are swept: pages are taken of all of them, with turns of the event loop in between, and
// what nobody may see is passed over.

import type {
  CheckpointSum,
  EndedJob,
  RecoveryRow,
  RecoverySum,
  ThroughputSum,
  WorkerRow,
  WorkRow,
  WorkSum,
} from '../rows.ts';
import type { PeriodFilter, Store } from '../store.ts';
import { CheckpointSums, firstBucket, RecoverySums, ThroughputSums, WorkSums } from '../sums.ts';
import type { CheckpointSize, CheckpointTable } from './tables/checkpoint-table.ts';
import type { JobGlance, JobTable } from './tables/job-table.ts';
import type { RecoveryCells, RecoveryTable } from './tables/recovery-table.ts';
import { Turns } from './turns.ts';
import type { SecondPlace, SecondRow, WorkPlace, WorkTable } from './tables/work-table.ts';
import type { WorkerTable } from './tables/worker-table.ts';

/** Rows per page: a few milliseconds. */
const pageRows = 1_000;
/** Before the first text, job key or moment there can be. */
const start = { bucketAt: Number.MIN_SAFE_INTEGER, jobKey: -1, workerId: '' };

interface Tables {
  readonly jobs: JobTable;
  readonly work: WorkTable;
  readonly recoveries: RecoveryTable;
  readonly checkpoints: CheckpointTable;
  readonly workers: WorkerTable;
}

/** Works on the database as it is now. Throws `StoreFault`. */
export type Look = <T>(work: (generation: number) => T) => T;

interface Walk<R> {
  /** The rows behind the last one of the page before, at most `pageRows`. */
  page(last: R | undefined): readonly R[];
  /** True when it has seen enough. */
  visit(row: R, job: JobGlance): boolean;
}

export class History {
  readonly #tables: Tables;
  readonly #look: Look;

  constructor(tables: Tables, look: Look) {
    this.#tables = tables;
    this.#look = look;
  }

  async listRecoveries(
    jobKey: number | undefined,
    beforeId: number | null,
    limit: number,
  ): Promise<readonly RecoveryRow[]> {
    if (limit <= 0) return [];
    const { recoveries } = this.#tables;
    const found: RecoveryRow[] = [];
    const isWhole = await this.#walk<RecoveryCells>({
      page: (last) =>
        recoveries.list(jobKey, last?.id ?? beforeId ?? Number.MAX_SAFE_INTEGER, pageRows),
      visit: (row, job) => found.push({ ...row, jobId: job.id }) >= limit,
    });
    return isWhole ? found : [];
  }

  async sumRecoveries({ jobKey, since = -Infinity }: PeriodFilter): Promise<RecoverySum> {
    const { recoveries } = this.#tables;
    const sums = new RecoverySums();
    const isWhole = await this.#walk<RecoveryCells>({
      page: (last) => recoveries.list(jobKey, last?.id ?? Number.MAX_SAFE_INTEGER, pageRows),
      visit: (row) => {
        // Ids rise with the time of the loss.
        if (row.lostAt < since) return true;
        sums.add(row);
        return false;
      },
    });
    return (isWhole ? sums : new RecoverySums()).total;
  }

  /** Ids rise with the time of the checkpoint. */
  async sumCheckpoints({ jobKey, since = -Infinity }: PeriodFilter): Promise<CheckpointSum> {
    const { checkpoints } = this.#tables;
    const sums = new CheckpointSums();
    const isWhole = await this.#walk<CheckpointSize>({
      page: (last) => checkpoints.listSizes(jobKey, last?.id ?? Number.MAX_SAFE_INTEGER, pageRows),
      visit: (row) => {
        if (row.createdAt < since) return true;
        sums.add(row);
        return false;
      },
    });
    return (isWhole ? sums : new CheckpointSums()).total;
  }

  async sumWork({ jobKey, since }: PeriodFilter): Promise<readonly WorkSum[]> {
    const { work } = this.#tables;
    const sums = new WorkSums();
    const first = since === undefined ? start : { ...start, bucketAt: firstBucket(since) };
    const isWhole = await this.#walk<WorkRow>({
      page: (last: WorkPlace = first) =>
        jobKey === undefined ? work.list(last, pageRows) : work.listOfJob(jobKey, last, pageRows),
      visit: (row) => {
        sums.add(row);
        return false;
      },
    });
    return isWhole ? sums.list() : [];
  }

  async sumThroughput(
    filter: Parameters<Store['sumThroughput']>[0],
  ): Promise<readonly ThroughputSum[]> {
    const { jobKey, from, to, bucketMs } = filter;
    const { work } = this.#tables;
    const sums = new ThroughputSums(from, bucketMs);
    const isWhole = await this.#walk<SecondRow>({
      page: (last: SecondPlace = { at: from, jobKey: -1 }) =>
        jobKey === undefined
          ? work.listSeconds(last, to, pageRows)
          : work.listSecondsOfJob(jobKey, last, to, pageRows),
      visit: (row) => {
        sums.add(row);
        return false;
      },
    });
    return isWhole ? sums.list() : [];
  }

  async *listEndedJobs(since: number | null): AsyncGenerator<readonly EndedJob[]> {
    const { jobs } = this.#tables;
    const begun = this.#look((generation) => generation);
    const turns = new Turns();
    for (let last: EndedJob | undefined; ; await turns.rest()) {
      const page = this.#look((generation) =>
        generation === begun ? jobs.listEnded(generation, since, last, pageRows) : [],
      );
      if (page.length > 0) yield page;
      if (page.length < pageRows) return;
      last = page.at(-1);
    }
  }

  async *listDepartedWorkers(since: number | null): AsyncGenerator<readonly WorkerRow[]> {
    const { workers } = this.#tables;
    const begun = this.#look((generation) => generation);
    const turns = new Turns();
    for (let lastKey = -1; ; await turns.rest()) {
      const page = this.#look((generation) =>
        generation === begun ? workers.listDeparted(generation, lastKey, pageRows) : [],
      );
      const asked = page.filter((row) => row.deregisteredAt! >= (since ?? -Infinity));
      if (asked.length > 0) yield asked;
      if (page.length < pageRows) return;
      lastKey = page.at(-1)!.key;
    }
  }

  /** False when the database was cleared meanwhile: what was seen is no more. */
  async #walk<R extends { readonly jobKey: number }>(walk: Walk<R>): Promise<boolean> {
    const begun = this.#look((generation) => generation);
    const jobs = new Map<number, JobGlance | undefined>();
    const turns = new Turns();
    let last: R | undefined;
    for (;;) {
      const isDone = this.#look((generation) => {
        if (generation !== begun) return 'cleared';
        const rows = walk.page(last);
        for (const row of rows) {
          const { jobKey } = row;
          if (!jobs.has(jobKey)) jobs.set(jobKey, this.#tables.jobs.glance(jobKey));
          const job = jobs.get(jobKey);
          if (job?.generation === generation && walk.visit(row, job)) return true;
        }
        last = rows.at(-1);
        return rows.length < pageRows;
      });
      if (isDone === 'cleared') return false;
      if (isDone) return true;
      await turns.rest();
    }
  }
}
