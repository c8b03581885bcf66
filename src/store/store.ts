// The port to durable storage. One coordinator at a time owns a store. Everything of a cleared
// generation is invisible to every query from the commit that raised the generation. A job that is
// deleted, or written again with an older generation, is gone in the same way.
//
// A task is read through its job: in a job that is final, a row that is not reads as cancelled
// (`visibility.ts`). Text is Unicode: a lone surrogate may come back as U+FFFD.
//
// Results, errors, inputs, programs and bytes of blobs come back as they were written or not at all:
// who asks for one that is damaged gets a `StoreFault` with the code `value_damaged`.

import type { CheckpointState } from '../core/commands.ts';
import type { JobStatus, TaskStatus } from '../core/records.ts';
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
} from './rows.ts';

export interface Store {
  /**
   * Once, before everything else. What a crash left of staged submissions is dropped: `sweep` then
   * removes it.
   */
  load(): Promise<StoredState>;
  /**
   * Writes a batch in one durable transaction: all of it or nothing. `at` is the time of the commit.
   * A row of a task or an attempt belongs to a job that exists or comes with the batch. Recovery
   * events, checkpoints, references to blobs, idempotency keys and work are left out when nobody can
   * see their job after the commit.
   * Throws `StoreFault`; after that the caller must not go on with its memory.
   *
   * Idempotent under the sequence of the batch: one that is there already writes nothing.
   *
   * About a thousand rows keep it to some milliseconds.
   */
  commit(batch: WriteBatch, at: number): Promise<void>;
  /**
   * Stores inputs of a job that is not visible yet, in a transaction of their own. They are shown by
   * the commit that writes the job. About a thousand inputs, or a megabyte, at a time. `blobs` are
   * the hashes that these inputs refer to; the staged job keeps them from being collected.
   */
  stageInputs(
    jobKey: number,
    fromIndex: number,
    inputs: readonly string[],
    blobs?: readonly string[],
  ): Promise<void>;
  /** Drops what was staged for a job that never became visible, and now never may. */
  dropStaged(jobKey: number): Promise<void>;
  /**
   * Deletes up to about `rows` rows that nobody can see any more (cleared generations, deleted
   * jobs, dropped submissions, collected blobs, blobs that a crash left in halves); a few thousand
   * are sensible, it stops early when they are large. True when there may be more to do: let others
   * have a turn, then call again. With nothing to do it costs microseconds.
   */
  sweep(rows: number): Promise<boolean>;

  findJob(id: string): Promise<JobRow | undefined>;
  /** Without its task priorities, which can be megabytes: null here. */
  findJobHead(id: string): Promise<JobRow | undefined>;
  /**
   * Newest first, at most `limit`, those before `beforeKey` in that order. Task priorities, which can
   * be megabytes, are not read: `spec.taskPriorities` is null here.
   */
  listJobs(filter: JobFilter, beforeKey: number | null, limit: number): Promise<readonly JobRow[]>;
  findProgram(jobKey: number): Promise<ProgramText | undefined>;
  /** Its `sha256` alone: the text may be megabytes. */
  findProgramHash(jobKey: number): Promise<string | undefined>;
  /**
   * JSON texts for the given indices, in their order; empty when the job cannot be seen. Only for
   * jobs that are not ranges, and indices that they have: anything else is a bug and throws.
   */
  readInputs(jobKey: number, indices: readonly number[]): Promise<readonly string[]>;
  /**
   * Rows that exist among the given, in that order, with past attempts and without results. For the
   * writer loop.
   */
  readTasks(tasks: readonly { jobKey: number; index: number }[]): Promise<readonly StoredTask[]>;
  /** Existing rows in index order from `fromIndex` on, at most `limit`; `resultJson` is null. */
  listTasks(jobKey: number, fromIndex: number, limit: number): Promise<readonly TaskRow[]>;
  /**
   * Final rows in index order with their results, at most `limit` rows and about `bytes` bytes. What
   * is damaged is told in its place.
   */
  listResults(
    jobKey: number,
    fromIndex: number,
    limit: number,
    bytes: number,
  ): Promise<readonly (TaskRow | DamagedTask)[]>;
  /**
   * Rows of one status in index order, without results (`retry` reads the failed ones). A rare
   * status in a large job is looked for in turns.
   */
  listTasksByStatus(
    jobKey: number,
    status: Exclude<TaskStatus, 'running'>,
    fromIndex: number,
    limit: number,
  ): Promise<readonly StoredTask[]>;
  findTask(jobKey: number, index: number): Promise<TaskRow | undefined>;
  /** Attempts of one task that did not succeed, oldest first. A damaged error says so in its place. */
  listAttempts(jobKey: number, index: number): Promise<readonly AttemptRow[]>;
  /** Failures of a worker of this generation, newest first. */
  listFailures(workerId: string, limit: number): Promise<readonly AttemptRow[]>;
  /** Any worker of this generation, deregistered ones included. */
  findWorker(id: string): Promise<WorkerRow | undefined>;
  /** Newest first, at most `limit`, those with an id below `beforeId`. */
  listRecoveries(
    beforeId: number | null,
    limit: number,
    filter?: { readonly jobKey?: number },
  ): Promise<readonly RecoveryRow[]>;
  /** Of a job, or of one task of it; oldest first, at most `limit`, those with an id above `afterId`. */
  listCheckpoints(
    jobKey: number,
    afterId: number | null,
    limit: number,
    index?: number,
  ): Promise<readonly CheckpointRow[]>;
  /** Undefined when it was dropped, or never was. */
  readCheckpointState(id: number): Promise<CheckpointState | undefined>;

  // Blobs. They are stored beside the batches; a batch only refers to them.

  /**
   * Stores bytes under their SHA-256, which the caller has checked; durable when it resolves, and
   * visible only as a whole. Large ones are written in turns of some milliseconds. One that is there
   * already is touched.
   */
  putBlob(sha256: string, bytes: Uint8Array, at: number): Promise<void>;
  /** The same for a blob that arrives in pieces: they are stored as they come. */
  beginBlob(): BlobDraft;
  /**
   * False when there is none; otherwise `collectBlobs` counts its age from `at` on, or from the touch
   * before if that is less than a minute older.
   */
  touchBlob(sha256: string, at: number): Promise<boolean>;
  findBlob(sha256: string): Promise<BlobRow | undefined>;
  readBlob(sha256: string): Promise<Uint8Array | undefined>;
  /**
   * The bytes from one on, as many as are at hand: none at the end only. Undefined when it is gone,
   * also in the middle.
   */
  readBlobPart(sha256: string, fromByte: number): Promise<Uint8Array | undefined>;
  /**
   * Deletes blobs that nothing refers to (no job's input or result, no kept state of a checkpoint)
   * and that were touched last before `before`; `sweep` then removes their bytes. A call looks at
   * `rows` blobs that are old enough and goes on where the one before ended; true when there may be
   * more: a round is over with the first false.
   */
  collectBlobs(before: number, rows: number): Promise<boolean>;
  findIdempotencyKey(key: string): Promise<IdempotencyRow | undefined>;

  // For evaluation. Each looks at no more than it must, and gives the event loop a turn every 10 ms.

  /** Per worker, by its id. `since` is rounded down to `workBucketMs`. */
  sumWork(filter: PeriodFilter): Promise<readonly WorkSum[]>;
  /**
   * Buckets in which something ended, oldest first. All three times are multiples of a second, `from`
   * is where the first bucket begins, `to` is excluded.
   */
  sumThroughput(filter: {
    readonly jobKey?: number;
    readonly from: number;
    readonly to: number;
    readonly bucketMs: number;
  }): Promise<readonly ThroughputSum[]>;
  /** Of attempts that were lost in the period. */
  sumRecoveries(filter: PeriodFilter): Promise<RecoverySum>;
  /** Of checkpoints taken in the period, dropped states included. */
  sumCheckpoints(filter: PeriodFilter): Promise<CheckpointSum>;
  /** Final jobs that ended at `since` or later, in the reverse order of their ends, in chunks. */
  listEndedJobs(since: number | null): AsyncIterable<readonly EndedJob[]>;
  /** Workers that were deregistered at `since` or later, by key, in chunks. */
  listDepartedWorkers(since: number | null): AsyncIterable<readonly WorkerRow[]>;
  close(): Promise<void>;
}

/** One call at a time: await it before the next. It ends by `finish` or by `abandon`. */
export interface BlobDraft {
  /** The bytes are kept as they are given: they must not change afterwards. */
  append(bytes: Uint8Array): Promise<void>;
  /**
   * Under the SHA-256 of all bytes, which the caller has checked. Durable when it resolves. One that
   * is there already is touched instead. True when it is new.
   */
  finish(sha256: string, at: number): Promise<boolean>;
  /** What was stored is swept. After `finish` it does nothing. */
  abandon(): void;
}

export interface JobFilter {
  readonly status?: JobStatus;
  readonly clientId?: string;
}

export interface PeriodFilter {
  readonly jobKey?: number;
  readonly since?: number;
}

/** The disk or the database refused. `code` is stable, `message` a sentence a person can act on. */
export class StoreFault extends Error {
  override readonly name = 'StoreFault';
  readonly code: StoreFaultCode;

  constructor(code: StoreFaultCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export type StoreFaultCode =
  /** The file was written by a newer version of the program. */
  | 'store_newer'
  /** The file is not a database of this program, or is damaged. */
  | 'store_damaged'
  /** One value is; the rest is served. */
  | 'value_damaged'
  /** Another coordinator has it open. */
  | 'store_locked'
  /** The directory cannot be made or written. */
  | 'store_unwritable'
  /** No space left, I/O error: a transaction failed. */
  | 'store_write_failed'
  /** I/O error: a read failed, and nothing was to be written. */
  | 'store_read_failed'
  | 'store_closed';
