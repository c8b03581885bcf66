// Reads for evaluation and for the lists of history.

import type { CheckpointState } from '../../core/commands.ts';
import { adminOwner } from '../../core/owner.ts';
import type { HistoryReading, JobsAsked, PeriodFilter, ThroughputFilter } from '../reading.ts';
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
import {
  bucketsEnd,
  CheckpointSums,
  firstBucket,
  RecoverySums,
  ThroughputSums,
  WorkSums,
} from '../sums.ts';
import type { Connection } from './connection.ts';
import type { CheckpointSize } from './tables/checkpoint-table.ts';
import type { RecoveryCells } from './tables/recovery-table.ts';
import { ownerCell } from './tables/own-job-list.ts';
import type { Tables } from './tables/tables.ts';
import { Turns } from '../turns.ts';
import type { SecondPlace, SecondRow, WorkPlace } from './tables/work-table.ts';
import { pageRows, VisibleRows } from './visible-rows.ts';
import type { WorkSpans } from './work-spans.ts';

export class SqliteHistory implements HistoryReading {
  readonly #connection: Connection;
  readonly #tables: Tables;
  readonly #rows: VisibleRows;
  readonly #workSpans: WorkSpans;

  constructor(connection: Connection, tables: Tables, workSpans: WorkSpans) {
    this.#connection = connection;
    this.#tables = tables;
    this.#rows = new VisibleRows(connection, tables.jobs);
    this.#workSpans = workSpans;
  }

  async listRecoveries(
    beforeId: number | null,
    limit: number,
    asked: JobsAsked = {},
  ): Promise<readonly RecoveryRow[]> {
    if (limit <= 0) return [];
    const { recoveries } = this.#tables;
    const found: RecoveryRow[] = [];
    const isWhole = await this.#rows.walk<RecoveryCells>({
      ...asked,
      page: (last) =>
        recoveries.list(asked, last?.id ?? beforeId ?? Number.MAX_SAFE_INTEGER, pageRows),
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
    return this.#connection.read((generation) => {
      const job = jobs.see(jobKey, generation);
      if (job === undefined) return [];
      const rows = checkpoints.list(jobKey, afterId ?? -1, limit, index);
      return rows.map((row) => ({ ...row, jobId: job.id }));
    });
  }

  async readCheckpointState(id: number): Promise<CheckpointState | undefined> {
    return this.#connection.read((generation) =>
      this.#tables.checkpoints.readState(id, generation),
    );
  }

  async sumRecoveries({
    since = -Infinity,
    until = Infinity,
    ...asked
  }: PeriodFilter): Promise<RecoverySum> {
    const { recoveries } = this.#tables;
    const sums = new RecoverySums();
    const isWhole = await this.#rows.walk<RecoveryCells>({
      ...asked,
      page: (last) => recoveries.list(asked, last?.id ?? Number.MAX_SAFE_INTEGER, pageRows),
      visit: (row) => {
        // Ids rise with the time of the loss.
        if (row.lostAt < since) return true;
        if (row.lostAt < until) sums.add(row);
        return false;
      },
    });
    return (isWhole ? sums : new RecoverySums()).total;
  }

  /** Stops at the first checkpoint before `since`: ids rise with the time of the checkpoint. */
  async sumCheckpoints({
    since = -Infinity,
    until = Infinity,
    ...asked
  }: PeriodFilter): Promise<CheckpointSum> {
    const { checkpoints } = this.#tables;
    const sums = new CheckpointSums();
    const isWhole = await this.#rows.walk<CheckpointSize>({
      ...asked,
      page: (last) => checkpoints.listSizes(asked, last?.id ?? Number.MAX_SAFE_INTEGER, pageRows),
      visit: (row) => {
        if (row.createdAt < since) return true;
        if (row.createdAt < until) sums.add(row);
        return false;
      },
    });
    return (isWhole ? sums : new CheckpointSums()).total;
  }

  /** Of all jobs from the sums that are kept; those of a job or an owner are rows by an index. */
  async sumWork({ since, until, ...asked }: PeriodFilter): Promise<readonly WorkSum[]> {
    const [from, to] = [firstBucket(since), bucketsEnd(until)];
    if (asked.jobKey === undefined && asked.owner === undefined) {
      return this.#workSpans.sum(from, to);
    }
    const sums = new WorkSums();
    const bucketAt = Math.max(from, Number.MIN_SAFE_INTEGER);
    const first = { bucketAt, jobKey: asked.jobKey ?? -1, workerId: '' };
    const isWhole = await this.#rows.walk<WorkRow>({
      ...asked,
      page: (last: WorkPlace = first) => this.#workOf(asked, last),
      visit: (row) => {
        // They come in the order of time.
        if (row.bucketAt >= to) return true;
        sums.add(row);
        return false;
      },
    });
    return isWhole ? sums.list() : [];
  }

  #workOf({ jobKey, owner = adminOwner }: JobsAsked, last: WorkPlace): readonly WorkRow[] {
    const { work } = this.#tables;
    if (jobKey !== undefined) return work.listOfJob(jobKey, last, pageRows);
    const cell = ownerCell(owner);
    if (cell !== null) return work.listOwn(cell, last, pageRows);
    return work.list(last, Number.MAX_SAFE_INTEGER, pageRows);
  }

  async sumThroughput(filter: ThroughputFilter): Promise<readonly ThroughputSum[]> {
    const { jobKey, owner, from, to, bucketMs } = filter;
    const { work } = this.#tables;
    const sums = new ThroughputSums(from, bucketMs);
    const isWhole = await this.#rows.walk<SecondRow>({
      owner,
      page: (last: SecondPlace = { at: from, jobKey: -1 }) =>
        jobKey === undefined
          ? work.listSeconds(last, to, pageRows, owner)
          : work.listSecondsOfJob(jobKey, last, to, pageRows),
      visit: (row) => {
        sums.add(row);
        return false;
      },
    });
    return isWhole ? sums.list() : [];
  }

  async *listEndedJobs(since: number | null, owner?: string): AsyncGenerator<readonly EndedJob[]> {
    const { jobs } = this.#tables;
    const begun = await this.#connection.read((generation) => generation);
    const turns = new Turns();
    for (let last: EndedJob | undefined; ; await turns.rest()) {
      const page = await this.#connection.read((generation) =>
        generation === begun ? jobs.listEnded(generation, { since, owner }, last, pageRows) : [],
      );
      if (page.length > 0) yield page;
      if (page.length < pageRows) return;
      last = page.at(-1);
    }
  }

  async *listDepartedWorkers(since: number | null): AsyncGenerator<readonly WorkerRow[]> {
    const { workers } = this.#tables;
    const begun = await this.#connection.read((generation) => generation);
    const turns = new Turns();
    for (let lastKey = -1; ; await turns.rest()) {
      const page = await this.#connection.read((generation) =>
        generation === begun ? workers.listDeparted(generation, lastKey, pageRows) : [],
      );
      const asked = page.filter((row) => row.deregisteredAt! >= (since ?? -Infinity));
      if (asked.length > 0) yield asked;
      if (page.length < pageRows) return;
      lastKey = page.at(-1)!.key;
    }
  }

  async *listRegisteredWorkers(): AsyncGenerator<readonly WorkerRow[]> {
    const { workers } = this.#tables;
    const begun = await this.#connection.read((generation) => generation);
    const turns = new Turns();
    for (let lastKey = -1; ; await turns.rest()) {
      const page = await this.#connection.read((generation) =>
        generation === begun ? workers.listRegisteredAfter(generation, lastKey, pageRows) : [],
      );
      if (page.length > 0) yield page;
      if (page.length < pageRows) return;
      lastKey = page.at(-1)!.key;
    }
  }

  async isRegistered(workerId: string): Promise<boolean> {
    const { workers } = this.#tables;
    const worker = await this.#connection.read((generation) => workers.find(workerId, generation));
    return worker !== undefined && worker.deregisteredAt === null;
  }
}
