// Reads for evaluation and for the lists of history. Rows of cleared and deleted jobs lie among the others
// until they are swept: so pages of all rows are read, with turns of the event loop in between, and rows
// that nobody may see are passed over.

import type { CheckpointState } from '../../core/commands.ts';
import type { HistoryReading, PeriodFilter, ThroughputFilter } from '../reading.ts';
import type {
  CheckpointRow,
  CheckpointSum,
  EndedJob,
  RecoveryRow,
  RecoverySum,
  ThroughputSum,
  WorkerRow,
  WorkRow,
  WorkSum,
} from '../rows.ts';
import { CheckpointSums, firstBucket, RecoverySums, ThroughputSums, WorkSums } from '../sums.ts';
import type { Connection } from './connection.ts';
import type { CheckpointSize } from './tables/checkpoint-table.ts';
import type { JobGlance } from './tables/job-table.ts';
import type { RecoveryCells } from './tables/recovery-table.ts';
import type { Tables } from './tables/tables.ts';
import { Turns } from './turns.ts';
import type { SecondPlace, SecondRow, WorkPlace } from './tables/work-table.ts';

/** Rows per page: a few milliseconds. */
const pageRows = 1_000;
/** Before the first bucket, job and worker that there can be. */
const start = { bucketAt: Number.MIN_SAFE_INTEGER, jobKey: -1, workerId: '' };

interface Walk<R> {
  /** The rows after the last one of the page before, at most `pageRows`. */
  page(last: R | undefined): readonly R[];
  /** Returns true when no further rows are needed. */
  visit(row: R, job: JobGlance): boolean;
}

export class SqliteHistory implements HistoryReading {
  readonly #connection: Connection;
  readonly #tables: Tables;

  constructor(connection: Connection, tables: Tables) {
    this.#connection = connection;
    this.#tables = tables;
  }

  async listRecoveries(
    beforeId: number | null,
    limit: number,
    { jobKey }: { readonly jobKey?: number } = {},
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

  async listCheckpoints(
    jobKey: number,
    afterId: number | null,
    limit: number,
    index?: number,
  ): Promise<readonly CheckpointRow[]> {
    const { jobs, checkpoints } = this.#tables;
    return this.#connection.look((generation) => {
      const job = jobs.see(jobKey, generation);
      if (job === undefined) return [];
      const rows = checkpoints.list(jobKey, afterId ?? -1, limit, index);
      return rows.map((row) => ({ ...row, jobId: job.id }));
    });
  }

  async readCheckpointState(id: number): Promise<CheckpointState | undefined> {
    return this.#connection.look((generation) =>
      this.#tables.checkpoints.readState(id, generation),
    );
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

  /** Stops at the first checkpoint before `since`: ids rise with the time of the checkpoint. */
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

  async sumThroughput(filter: ThroughputFilter): Promise<readonly ThroughputSum[]> {
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
    const begun = this.#connection.look((generation) => generation);
    const turns = new Turns();
    for (let last: EndedJob | undefined; ; await turns.rest()) {
      const page = this.#connection.look((generation) =>
        generation === begun ? jobs.listEnded(generation, since, last, pageRows) : [],
      );
      if (page.length > 0) yield page;
      if (page.length < pageRows) return;
      last = page.at(-1);
    }
  }

  async *listDepartedWorkers(since: number | null): AsyncGenerator<readonly WorkerRow[]> {
    const { workers } = this.#tables;
    const begun = this.#connection.look((generation) => generation);
    const turns = new Turns();
    for (let lastKey = -1; ; await turns.rest()) {
      const page = this.#connection.look((generation) =>
        generation === begun ? workers.listDeparted(generation, lastKey, pageRows) : [],
      );
      const asked = page.filter((row) => row.deregisteredAt! >= (since ?? -Infinity));
      if (asked.length > 0) yield asked;
      if (page.length < pageRows) return;
      lastKey = page.at(-1)!.key;
    }
  }

  /** False when the database was cleared meanwhile: then what was read no longer counts. */
  async #walk<R extends { readonly jobKey: number }>(walk: Walk<R>): Promise<boolean> {
    const begun = this.#connection.look((generation) => generation);
    const jobs = new Map<number, JobGlance | undefined>();
    const turns = new Turns();
    let last: R | undefined;
    for (;;) {
      const isDone = this.#connection.look((generation) => {
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
