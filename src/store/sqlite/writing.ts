// What only the writer does: loads, commits and sweeps.

import { missingInputs } from '../missing-inputs.ts';
import type { JobRow, StoredState, WriteBatch } from '../rows.ts';
import type { AuditKept, Writing } from '../writing.ts';
import type { Connection } from './connection.ts';
import type { StoredTasks } from './stored-tasks.ts';
import type { Sweeping } from './sweeping.ts';
import { configOf, type Meta, totalsOf } from './tables/meta-table.ts';
import { ownerCell } from './tables/own-job-list.ts';
import type { Tables } from './tables/tables.ts';
import type { WorkSpans } from './work-spans.ts';

interface WritingParts {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly stored: StoredTasks;
  readonly sweeping: Sweeping;
  readonly workSpans: WorkSpans;
}

export class SqliteWriting implements Omit<Writing, 'collectBlobs' | 'readVisitors'> {
  readonly #connection: Connection;
  readonly #tables: Tables;
  readonly #stored: StoredTasks;
  readonly #sweeping: Sweeping;

  readonly #workSpans: WorkSpans;

  constructor({ connection, tables, stored, sweeping, workSpans }: WritingParts) {
    this.#connection = connection;
    this.#tables = tables;
    this.#stored = stored;
    this.#sweeping = sweeping;
    this.#workSpans = workSpans;
  }

  async load(): Promise<StoredState> {
    const connection = this.#connection;
    return connection.durably((generation) => {
      connection.transact(() => this.#tables.inputs.dropAll());
      return this.#readState(generation);
    });
  }

  reserveJobKeys(count: number): Promise<number> {
    const connection = this.#connection;
    // Whatever has one of these keys is committed later, and so is never kept without this.
    return connection.unsynced(() => {
      const { meta } = connection;
      connection.commit(() => ({ ...meta, nextJobKey: meta.nextJobKey + count }));
      return meta.nextJobKey;
    });
  }

  async commit(batch: WriteBatch, at: number): Promise<void> {
    const connection = this.#connection;
    await connection.durably(() => {
      if (batch.sequence <= connection.meta.sequence) return;
      try {
        connection.commit(() => this.#writeBatch(batch, at));
      } catch (error) {
        this.#tables.dispatches.forget();
        throw error;
      }
    });
  }

  /** The file is locked for this process. */
  async confirm(): Promise<void> {
    await this.#connection.read(() => undefined);
  }

  sweep(rows: number): Promise<boolean> {
    return this.#connection.unsynced((generation) => {
      if (!this.#sweeping.isNeeded(generation)) return false;
      return this.#connection.transact(() => this.#sweeping.run(generation, rows));
    });
  }

  pruneWorkers(rows: number): Promise<boolean> {
    const { jobs, workers } = this.#tables;
    return this.#connection.unsynced((generation) => {
      const before = jobs.oldest(generation) ?? Number.MAX_VALUE;
      if (!workers.hasForgotten(generation, before)) return false;
      return this.#connection.transact(() => workers.prune(generation, before, rows) === rows);
    });
  }

  trimAudit(kept: AuditKept, rows: number): Promise<boolean> {
    const { audit } = this.#tables;
    return this.#connection.unsynced(() => {
      const ids = audit.listTrimmed(kept, rows);
      if (ids.length > 0) this.#connection.transact(() => audit.drop(ids));
      return ids.length === rows;
    });
  }

  keepSums(now: number): Promise<boolean> {
    return this.#workSpans.sumNext(now);
  }

  #readState(generation: number): StoredState {
    const { jobs, workers, recoveries, notifications, blobs } = this.#tables;
    const { meta } = this.#connection;
    const open = jobs.listOpen(generation);
    return {
      generation,
      sequence: meta.sequence,
      config: configOf(meta),
      jobs: open,
      tasks: open.flatMap(({ spec: { key, id } }) => this.#stored.listUnfinished(key, id)),
      workers: workers.listRegistered(generation),
      recoveries: open
        .flatMap(({ spec: { key, id } }) =>
          recoveries.listUnfinished(key).map((row) => ({ ...row, jobId: id })),
        )
        .sort((a, b) => a.id - b.id),
      counters: jobs.count(generation),
      ownerCounters: jobs.countOwn(generation),
      totals: totalsOf(meta),
      nextWorkerKey: meta.nextWorkerKey,
      nextRecoveryId: meta.nextRecoveryId,
      nextCheckpointId: meta.nextCheckpointId,
      nextNotificationId: notifications.largestId() + 1,
      hasSchedulerChanges: this.#tables.schedulerChanges.list(1).length > 0,
      hasBlobs: blobs.hasAny(generation),
      lastCommitAt: meta.lastCommitAt,
    };
  }

  #writeBatch(batch: WriteBatch, at: number): Meta {
    const { jobs, tasks, attempts, workers, recoveries, checkpoints, blobs, work, workSums } =
      this.#tables;
    const { meta } = this.#connection;
    for (const { jobKey, staged } of batch.payloads) {
      const isThere = staged === undefined || this.#tables.inputs.isWhole(jobKey, staged);
      if (!isThere) throw missingInputs();
    }
    const submitted = new Set(batch.payloads.map(({ jobKey }) => jobKey));
    for (const row of batch.jobs) {
      const { key } = row.spec;
      if (jobs.write(row, submitted.has(key))) this.#reveal(row);
      submitted.delete(key);
    }
    this.#writePayloads(batch, submitted);
    tasks.write(batch.tasks);
    for (const row of batch.attempts) attempts.write(row);
    for (const row of batch.traces) this.#tables.traces.write(row);
    workers.write(batch.workers);
    for (const jobKey of batch.deletedJobs) this.#hide(jobKey);
    if (batch.generation !== null) {
      workSums.dropAll();
      this.#tables.dispatches.forget();
    }
    const generation = batch.generation ?? meta.generation;
    for (const row of batch.recoveries) recoveries.write(row, generation);
    for (const row of batch.notifications) this.#tables.notifications.write(row, generation);
    for (const checkpoint of batch.checkpoints) checkpoints.write(checkpoint, generation);
    for (const id of batch.droppedStates) checkpoints.dropState(id);
    for (const row of batch.blobReferences) blobs.refer(row, generation);
    for (const row of batch.idempotencyKeys) this.#tables.idempotencyKeys.write(row, generation);
    for (const row of batch.tokens) this.#tables.tokens.write(row);
    for (const hash of batch.revokedTokens) this.#tables.tokens.revoke(hash, at);
    for (const id of batch.droppedTokens) this.#tables.tokens.drop(id);
    for (const entry of batch.audit) this.#tables.audit.write(entry);
    this.#tables.schedulerChanges.write(batch.schedulerChanges);
    for (const row of batch.work) {
      work.write(row, at, generation);
      workSums.drop(row.bucketAt);
    }
    return {
      ...meta,
      generation,
      sequence: batch.sequence,
      lastCommitAt: at,
      nextJobKey: above(batch.jobs, meta.nextJobKey, (row) => row.spec.key),
      nextWorkerKey: above(batch.workers, meta.nextWorkerKey, (row) => row.key),
      nextRecoveryId: above(batch.recoveries, meta.nextRecoveryId, (row) => row.id),
      nextCheckpointId: above(batch.checkpoints, meta.nextCheckpointId, ({ row }) => row.id),
      config: batch.config === null ? meta.config : JSON.stringify(batch.config),
      totals: batch.totals === undefined ? meta.totals : JSON.stringify(batch.totals),
    };
  }

  #reveal({ spec: { key, owner } }: JobRow): void {
    this.#tables.inputs.reveal(key);
    const cell = ownerCell(owner);
    if (cell !== null) this.#tables.blobs.reveal(key, cell);
  }

  /** What was summed of its work no longer counts. */
  #hide(jobKey: number): void {
    const { jobs, work, workSums } = this.#tables;
    jobs.hide(jobKey);
    this.#tables.dispatches.forgetJob(jobKey);
    const buckets = work.bucketsOf(jobKey);
    if (buckets !== undefined) workSums.drop(buckets.first, buckets.last);
  }

  /** `withoutRow` are jobs of which the batch has no row. */
  #writePayloads({ payloads }: WriteBatch, withoutRow: ReadonlySet<number>): void {
    const { jobs, programs, inputs } = this.#tables;
    for (const { jobKey, program, inputs: texts } of payloads) {
      if (!withoutRow.has(jobKey) || jobs.has(jobKey)) {
        programs.write(jobKey, program);
        inputs.write(jobKey, 0, texts);
      } else {
        // Cleared by the batch that submitted it.
        inputs.drop(jobKey);
      }
    }
  }
}

/** The mark, or what lies above every key of these rows. */
function above<R>(rows: readonly R[], mark: number, keyOf: (row: R) => number): number {
  return rows.reduce((next, row) => Math.max(next, keyOf(row) + 1), mark);
}
