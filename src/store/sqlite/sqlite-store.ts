// The embedded store: one file, one connection, everything on the calling thread. A call blocks
// for as long as SQLite works on it: the bounds in the arguments keep that short, and what may have
// to pass over many rows goes window by window with turns of the event loop in between.

import type { DatabaseSync } from 'node:sqlite';
import type { CheckpointState } from '../../core/commands.ts';
import { isDamaged, valueFault } from '../damage.ts';
import type {
  AttemptRow,
  BlobRow,
  CheckpointRow,
  CheckpointSum,
  DamagedTask,
  EndedJob,
  IdempotencyRow,
  JobRow,
  ProgramText,
  RecoveryRow,
  RecoverySum,
  StoredState,
  StoredTask,
  TaskRow,
  ThroughputSum,
  WorkerRow,
  WorkSum,
  WriteBatch,
} from '../rows.ts';
import type { BlobDraft, JobFilter, PeriodFilter, Store } from '../store.ts';
import { seenThrough, type StoredStatus } from '../visibility.ts';
import { AttemptTable } from './tables/attempt-table.ts';
import { BlobTable } from './tables/blob-table.ts';
import { Blobs } from './blobs.ts';
import { CheckpointTable } from './tables/checkpoint-table.ts';
import { asFault, closed } from './file/faults.ts';
import type { FileLock } from './file/file-lock.ts';
import { History, type Look } from './history.ts';
import { IdempotencyTable } from './tables/idempotency-table.ts';
import type { LogWatch } from './file/log-watch.ts';
import type { Patience } from './file/patience.ts';
import { ProgramTable } from './tables/program-table.ts';
import { InputTable } from './tables/input-table.ts';
import { type JobGlance, JobTable } from './tables/job-table.ts';
import { configOf, type Meta, MetaTable } from './tables/meta-table.ts';
import { RecoveryTable } from './tables/recovery-table.ts';
import { prepare, type Statement } from './tables/statement.ts';
import { StoredTasks } from './stored-tasks.ts';
import { Sweeping } from './sweeping.ts';
import { TaskTable } from './tables/task-table.ts';
import { TaskWalk } from './task-walk.ts';
import { ValueGuard } from './tables/value-hash.ts';
import { WorkTable } from './tables/work-table.ts';
import { WorkerTable } from './tables/worker-table.ts';

export interface Surroundings {
  readonly path: string;
  readonly lock: FileLock;
  readonly patience: Patience;
  readonly logWatch: LogWatch;
  /** Told of every damaged value that somebody asks for, once. */
  readonly onDamage: ((sentence: string) => void) | undefined;
}

export class SqliteStore implements Store {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #lock: FileLock;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #metaTable: MetaTable;
  readonly #jobs: JobTable;
  readonly #programs: ProgramTable;
  readonly #inputs: InputTable;
  readonly #tasks: TaskTable;
  readonly #attempts: AttemptTable;
  readonly #workers: WorkerTable;
  readonly #recoveries: RecoveryTable;
  readonly #checkpoints: CheckpointTable;
  readonly #blobTable: BlobTable;
  readonly #idempotencyKeys: IdempotencyTable;
  readonly #work: WorkTable;
  readonly #sweeping: Sweeping;
  readonly #walk: TaskWalk;
  readonly #history: History;
  readonly #blobs: Blobs;
  readonly #patience: Patience;
  readonly #logWatch: LogWatch;
  readonly #stored: StoredTasks;
  /** As committed: only this connection writes. */
  #meta: Meta;

  constructor(db: DatabaseSync, { path, lock, patience, logWatch, onDamage }: Surroundings) {
    this.#db = db;
    this.#patience = patience;
    this.#logWatch = logWatch;
    this.#path = path;
    this.#lock = lock;
    this.#begin = prepare(db, 'begin immediate');
    this.#commit = prepare(db, 'commit');
    this.#rollback = prepare(db, 'rollback');
    this.#metaTable = new MetaTable(db);
    this.#meta = this.#metaTable.read();
    const guard = new ValueGuard(this.#meta.hashedFrom, onDamage);
    this.#jobs = new JobTable(db);
    this.#programs = new ProgramTable(db, guard);
    this.#inputs = new InputTable(db, guard);
    this.#tasks = new TaskTable(db, guard);
    this.#attempts = new AttemptTable(db, guard);
    this.#workers = new WorkerTable(db);
    this.#recoveries = new RecoveryTable(db);
    this.#checkpoints = new CheckpointTable(db);
    this.#blobTable = new BlobTable(db, guard);
    this.#idempotencyKeys = new IdempotencyTable(db);
    this.#work = new WorkTable(db);
    this.#sweeping = new Sweeping(db, this.#blobTable, this.#programs);
    this.#stored = new StoredTasks({
      tasks: this.#tasks,
      attempts: this.#attempts,
      checkpoints: this.#checkpoints,
    });
    this.#walk = new TaskWalk(this.#tasks, (jobKey, work) =>
      this.#try(() => {
        const job = this.#visible(jobKey);
        return job && work(job);
      }),
    );
    const look: Look = (work) => this.#try(() => work(this.#meta.generation));
    this.#history = new History(
      {
        jobs: this.#jobs,
        work: this.#work,
        recoveries: this.#recoveries,
        checkpoints: this.#checkpoints,
        workers: this.#workers,
      },
      look,
    );
    this.#blobs = new Blobs(
      this.#blobTable,
      look,
      (work) => look(() => this.#transact(work)),
      patience,
    );
  }

  async load(): Promise<StoredState> {
    return this.#try(() => {
      this.#transact(() => this.#inputs.dropAll());
      const { generation, sequence, lastCommitAt } = this.#meta;
      const { nextJobKey, nextWorkerKey, nextRecoveryId, nextCheckpointId } = this.#meta;
      const jobs = this.#jobs.listOpen(generation);
      return {
        generation,
        sequence,
        config: configOf(this.#meta),
        jobs,
        tasks: jobs.flatMap(({ spec: { key, id } }) => this.#stored.listUnfinished(key, id)),
        workers: this.#workers.listRegistered(generation),
        recoveries: jobs
          .flatMap(({ spec: { key, id } }) =>
            this.#recoveries.listUnfinished(key).map((row) => ({ ...row, jobId: id })),
          )
          .sort((a, b) => a.id - b.id),
        counters: this.#jobs.count(generation),
        nextJobKey,
        nextWorkerKey,
        nextRecoveryId,
        nextCheckpointId,
        hasBlobs: !this.#blobs.isEmpty,
        lastCommitAt,
      };
    });
  }

  async commit(batch: WriteBatch, at: number): Promise<void> {
    await this.#tryPatiently(() => {
      if (batch.sequence > this.#meta.sequence) this.#write(() => this.#writeBatch(batch, at));
    });
  }

  async stageInputs(
    jobKey: number,
    fromIndex: number,
    inputs: readonly string[],
    blobs: readonly string[] = [],
  ): Promise<void> {
    await this.#tryPatiently(() =>
      this.#write(() => {
        this.#inputs.markStaged(jobKey);
        this.#inputs.write(jobKey, fromIndex, inputs);
        for (const sha256 of blobs) this.#blobTable.referStaged({ jobKey, sha256 });
        return { ...this.#meta, nextJobKey: Math.max(this.#meta.nextJobKey, jobKey + 1) };
      }),
    );
  }

  async dropStaged(jobKey: number): Promise<void> {
    await this.#tryPatiently(() => this.#transact(() => this.#inputs.drop(jobKey)));
  }

  async sweep(rows: number): Promise<boolean> {
    return this.#tryPatiently(() => {
      const { generation } = this.#meta;
      if (!this.#sweeping.isNeeded(generation)) return false;
      return this.#transact(() => this.#sweeping.run(generation, rows));
    });
  }

  async findJob(id: string): Promise<JobRow | undefined> {
    return this.#try(() => this.#jobs.find(id, this.#meta.generation));
  }

  async findJobHead(id: string): Promise<JobRow | undefined> {
    return this.#try(() => this.#jobs.findHead(id, this.#meta.generation));
  }

  async listJobs(
    filter: JobFilter,
    beforeKey: number | null,
    limit: number,
  ): Promise<readonly JobRow[]> {
    return this.#try(() => this.#jobs.list(this.#meta.generation, filter, beforeKey, limit));
  }

  async findProgram(jobKey: number): Promise<ProgramText | undefined> {
    return this.#try(() => {
      const job = this.#visible(jobKey);
      return job && this.#programs.find(jobKey, job.id);
    });
  }

  async findProgramHash(jobKey: number): Promise<string | undefined> {
    return this.#try(() => this.#visible(jobKey) && this.#programs.findHash(jobKey));
  }

  async readInputs(jobKey: number, indices: readonly number[]): Promise<readonly string[]> {
    return this.#try(() => {
      const job = this.#visible(jobKey);
      return job === undefined ? [] : this.#inputs.read(jobKey, job.id, indices);
    });
  }

  async readTasks(
    tasks: readonly { jobKey: number; index: number }[],
  ): Promise<readonly StoredTask[]> {
    return this.#try(() => {
      const jobs = new Map<number, JobGlance | undefined>();
      const rows: TaskRow[] = [];
      for (const { jobKey, index } of tasks) {
        if (!jobs.has(jobKey)) jobs.set(jobKey, this.#visible(jobKey));
        const job = jobs.get(jobKey);
        const row = job && this.#tasks.find(jobKey, index);
        if (job && row) rows.push(seenThrough(job, row));
      }
      return this.#stored.complete(rows, jobs);
    });
  }

  async listTasks(jobKey: number, fromIndex: number, limit: number): Promise<readonly TaskRow[]> {
    return this.#try(() => {
      const job = this.#visible(jobKey);
      return job === undefined ? [] : this.#walk.list(job, jobKey, fromIndex, limit);
    });
  }

  listResults(
    jobKey: number,
    fromIndex: number,
    limit: number,
    bytes: number,
  ): Promise<readonly (TaskRow | DamagedTask)[]> {
    return this.#walk.listResults(jobKey, fromIndex, limit, bytes);
  }

  async listTasksByStatus(
    jobKey: number,
    status: StoredStatus,
    fromIndex: number,
    limit: number,
  ): Promise<readonly StoredTask[]> {
    const rows = await this.#walk.listByStatus(jobKey, status, fromIndex, limit);
    return this.#try(() => this.#stored.complete(rows, new Map([[jobKey, this.#visible(jobKey)]])));
  }

  async findTask(jobKey: number, index: number): Promise<TaskRow | undefined> {
    return this.#try(() => {
      const job = this.#visible(jobKey);
      const row = job && this.#walk.find(job, jobKey, index);
      if (row !== undefined && isDamaged(row)) throw valueFault(row.damage);
      return row;
    });
  }

  async listAttempts(jobKey: number, index: number): Promise<readonly AttemptRow[]> {
    return this.#try(() => {
      const job = this.#visible(jobKey);
      return job === undefined ? [] : this.#attempts.list(jobKey, job.id, index);
    });
  }

  async listFailures(workerId: string, limit: number): Promise<readonly AttemptRow[]> {
    return this.#try(() => {
      const { generation } = this.#meta;
      if (this.#workers.find(workerId, generation) === undefined) return [];
      return this.#attempts.listOfWorker(workerId, generation, limit);
    });
  }

  async findWorker(id: string): Promise<WorkerRow | undefined> {
    return this.#try(() => this.#workers.find(id, this.#meta.generation));
  }

  listRecoveries(
    beforeId: number | null,
    limit: number,
    filter: { readonly jobKey?: number } = {},
  ): Promise<readonly RecoveryRow[]> {
    return this.#history.listRecoveries(filter.jobKey, beforeId, limit);
  }

  async listCheckpoints(
    jobKey: number,
    afterId: number | null,
    limit: number,
    index?: number,
  ): Promise<readonly CheckpointRow[]> {
    return this.#try(() => {
      const job = this.#visible(jobKey);
      if (job === undefined) return [];
      const rows = this.#checkpoints.list(jobKey, afterId ?? -1, limit, index);
      return rows.map((row) => ({ ...row, jobId: job.id }));
    });
  }

  async readCheckpointState(id: number): Promise<CheckpointState | undefined> {
    return this.#try(() => this.#checkpoints.readState(id, this.#meta.generation));
  }

  putBlob(sha256: string, bytes: Uint8Array, at: number): Promise<void> {
    return this.#blobs.put(sha256, bytes, at);
  }

  beginBlob(): BlobDraft {
    return this.#blobs.begin();
  }

  async touchBlob(sha256: string, at: number): Promise<boolean> {
    return this.#patience.run(() => this.#blobs.touch(sha256, at));
  }

  async findBlob(sha256: string): Promise<BlobRow | undefined> {
    return this.#blobs.find(sha256);
  }

  readBlob(sha256: string): Promise<Uint8Array | undefined> {
    return this.#blobs.read(sha256);
  }

  async readBlobPart(sha256: string, fromByte: number): Promise<Uint8Array | undefined> {
    return this.#blobs.readPart(sha256, fromByte);
  }

  async collectBlobs(before: number, rows: number): Promise<boolean> {
    return this.#patience.run(() => this.#blobs.collect(before, rows));
  }

  async findIdempotencyKey(key: string): Promise<IdempotencyRow | undefined> {
    return this.#try(() => this.#idempotencyKeys.find(key, this.#meta.generation));
  }

  sumWork(filter: PeriodFilter): Promise<readonly WorkSum[]> {
    return this.#history.sumWork(filter);
  }

  sumThroughput(filter: Parameters<Store['sumThroughput']>[0]): Promise<readonly ThroughputSum[]> {
    return this.#history.sumThroughput(filter);
  }

  sumRecoveries(filter: PeriodFilter): Promise<RecoverySum> {
    return this.#history.sumRecoveries(filter);
  }

  sumCheckpoints(filter: PeriodFilter): Promise<CheckpointSum> {
    return this.#history.sumCheckpoints(filter);
  }

  listEndedJobs(since: number | null): AsyncIterable<readonly EndedJob[]> {
    return this.#history.listEndedJobs(since);
  }

  listDepartedWorkers(since: number | null): AsyncIterable<readonly WorkerRow[]> {
    return this.#history.listDepartedWorkers(since);
  }

  async close(): Promise<void> {
    if (!this.#db.isOpen) return;
    this.#db.close();
    this.#lock.release();
  }

  #writeBatch(batch: WriteBatch, at: number): Meta {
    let { nextJobKey, nextWorkerKey, nextRecoveryId, nextCheckpointId } = this.#meta;
    for (const row of batch.jobs) {
      if (this.#jobs.write(row)) this.#inputs.reveal(row.spec.key);
      nextJobKey = Math.max(nextJobKey, row.spec.key + 1);
    }
    for (const { jobKey, program, inputs } of batch.payloads) {
      if (this.#jobs.has(jobKey)) {
        this.#programs.write(jobKey, program);
        this.#inputs.write(jobKey, 0, inputs);
      } else {
        // Cleared by the batch that submitted it.
        this.#inputs.drop(jobKey);
      }
    }
    this.#tasks.write(batch.tasks);
    for (const row of batch.attempts) this.#attempts.write(row);
    this.#workers.write(batch.workers);
    for (const row of batch.workers) {
      nextWorkerKey = Math.max(nextWorkerKey, row.key + 1);
    }
    for (const jobKey of batch.deletedJobs) this.#jobs.hide(jobKey);
    const generation = batch.generation ?? this.#meta.generation;
    for (const row of batch.recoveries) {
      this.#recoveries.write(row, generation);
      nextRecoveryId = Math.max(nextRecoveryId, row.id + 1);
    }
    for (const checkpoint of batch.checkpoints) {
      this.#checkpoints.write(checkpoint, generation);
      nextCheckpointId = Math.max(nextCheckpointId, checkpoint.row.id + 1);
    }
    for (const id of batch.droppedStates) this.#checkpoints.dropState(id);
    for (const row of batch.blobReferences) this.#blobTable.refer(row, generation);
    for (const row of batch.idempotencyKeys) this.#idempotencyKeys.write(row, generation);
    for (const row of batch.work) this.#work.write(row, at, generation);
    return {
      generation,
      sequence: batch.sequence,
      lastCommitAt: at,
      nextJobKey,
      nextWorkerKey,
      nextRecoveryId,
      nextCheckpointId,
      hashedFrom: this.#meta.hashedFrom,
      config: batch.config === null ? this.#meta.config : JSON.stringify(batch.config),
    };
  }

  /** One transaction that changes nothing of what `#meta` says. */
  #transact<T>(work: (generation: number) => T): T {
    let answer: T | undefined;
    this.#write(() => {
      answer = work(this.#meta.generation);
      return this.#meta;
    });
    return answer as T;
  }

  /** One transaction. `work` returns what is true of the database afterwards. */
  #write(work: () => Meta): void {
    this.#begin.run();
    try {
      const meta = work();
      if (meta !== this.#meta) this.#metaTable.write(meta);
      this.#commit.run();
      this.#meta = meta;
      this.#logWatch.look();
    } catch (error) {
      // Some faults have rolled back already.
      if (this.#db.isTransaction) this.#rollback.run();
      throw asFault(error, this.#path, 'write');
    }
  }

  #try<T>(work: () => T): T {
    if (!this.#db.isOpen) throw closed();
    try {
      return work();
    } catch (error) {
      throw asFault(error, this.#path, 'read');
    }
  }

  /** For what writes: waits for a lock that another program holds. */
  #tryPatiently<T>(work: () => T): Promise<T> {
    return this.#patience.run(() => this.#try(work));
  }

  #visible(jobKey: number): JobGlance | undefined {
    const job = this.#jobs.glance(jobKey);
    return job?.generation === this.#meta.generation ? job : undefined;
  }
}
