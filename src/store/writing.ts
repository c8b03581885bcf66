// The part of the port for the one writer: everything that others see is changed here.

import type {
  BlobRow,
  IdempotencyRow,
  JobRow,
  StoredState,
  StoredTask,
  WorkerRow,
  WriteBatch,
} from './rows.ts';

export interface Writing {
  /**
   * Called once by each coordinator, before everything else. Staged submissions that the coordinator before
   * has left are dropped: `sweep` then removes them. Those of members that follow stay as long as their member is seen.
   */
  load(): Promise<StoredState>;
  /**
   * Keys for jobs, `count` in a row from the one it resolves to. Above every key that was reserved or
   * committed before; durable when it resolves, so that they are never given out again, also after a crash.
   * Keys that are never used leave a gap. Keys of workers and ids of events need no reservation: they become
   * known with the commit that writes them.
   */
  reserveJobKeys(count: number): Promise<number>;
  /**
   * Reads in one call all that the next batch names; what does not exist is left out. Rows of jobs in `held`
   * are not read again. The blobs are touched at `at`, so that they stay until the commit that refers to
   * them. Gives others turns of the event loop when it takes long.
   */
  readVisitors(wanted: WantedRows, held: Held, at: number): Promise<VisitorRows>;
  /**
   * Writes a batch in one durable transaction: all of it or nothing. `at` is the time of the commit.
   * A row of a task or an attempt belongs to a job that exists or comes with the batch. Recovery
   * events, notifications, checkpoints, references to blobs, idempotency keys and work are left out when nobody can
   * see their job after the commit. It fails when inputs are not there that were staged for a job (`JobPayload.staged`).
   * Throws `StoreFault`; after that the caller must not go on with its memory.
   *
   * Idempotent under the sequence of the batch: a batch that was committed before writes nothing.
   *
   * About a thousand rows keep it to some milliseconds.
   */
  commit(batch: WriteBatch, at: number): Promise<void>;
  /**
   * Resolves when the caller may give answers from its memory, because nobody else has written since its
   * `load` and commits: at once in a store where nobody else can. Throws `StoreFault` when it may not.
   */
  confirm(): Promise<void>;
  /**
   * Deletes up to about `rows` rows that nobody can see any more (cleared generations, deleted
   * jobs, dropped submissions, collected blobs, blobs that a crash left in halves); a few thousand
   * are sensible, and it stops early when the rows are large. True when there may be more to do: let
   * others have a turn of the event loop, then call again. With nothing to do it costs microseconds.
   */
  sweep(rows: number): Promise<boolean>;
  /**
   * Keeps the sum of the work of one more hour or day that is over at `now`, so that questions about it need
   * not go through its rows; answers stay the same to the last bit. Gives others turns of the event loop. True
   * when it has made one; the round ends with the first false, and the next looks at all of them anew.
   */
  keepSums(now: number): Promise<boolean>;
  /**
   * Deletes up to `rows` workers that were removed because they were away, and of which nothing tells any more:
   * every job that can be seen was submitted later. True when there may be more. Who was removed to stay away stays known.
   */
  pruneWorkers(rows: number): Promise<boolean>;
  /**
   * Deletes blobs that nothing refers to (no job's input or result, no kept state of a checkpoint)
   * and that were touched last before `before`; `sweep` then removes their bytes. A call looks at
   * `rows` blobs that are old enough and goes on where the call before ended. True when there may be
   * more; a round ends with the first false.
   */
  collectBlobs(before: number, rows: number): Promise<boolean>;
  /**
   * Deletes up to `rows` audit entries: those of the oldest `rows` that are older than is kept, and the oldest
   * where there are more than are kept. True when there may be more. The newest entry stays.
   */
  trimAudit(kept: AuditKept, rows: number): Promise<boolean>;
}

/** Refusals are counted apart: however many there are, they do not push out what was done. */
export interface AuditKept {
  /** Entries of before go. */
  readonly since: number;
  /** So many entries of what was done stay at the most, the newest. */
  readonly done: number;
  readonly refused: number;
}

export interface WantedRows {
  /** Ids of jobs. */
  readonly jobs: ReadonlySet<string>;
  /** Indices by the id of their job. */
  readonly tasks: ReadonlyMap<string, ReadonlySet<number>>;
  readonly workers: ReadonlySet<string>;
  readonly idempotencyKeys: ReadonlySet<string>;
  /** Hashes of blobs that something will refer to. */
  readonly blobs: ReadonlySet<string>;
  /** Jobs that may have been kept for long enough; left out: none. */
  readonly expiring?: ExpiringWanted | undefined;
}

/** Of each list so many jobs at the most. */
export interface ExpiringWanted {
  readonly limit: number;
  /**
   * `own`: those with a time of their own, by its end; `others`: those without, by their end; `all`: by
   * their end.
   */
  readonly lists: readonly ('own' | 'others' | 'all')[];
}

/** Ids of the jobs that memory holds. */
export type Held = Pick<ReadonlySet<string>, 'has'>;

/** Each list in no order. */
export interface VisitorRows {
  /** The wanted jobs, and those of the wanted tasks and idempotency keys. */
  readonly jobs: readonly JobRow[];
  /** Tasks with past attempts and without results. */
  readonly tasks: readonly StoredTask[];
  /** Workers of this generation, deregistered ones included. */
  readonly workers: readonly WorkerRow[];
  readonly idempotencyKeys: readonly IdempotencyRow[];
  readonly blobs: readonly BlobSize[];
  /** Each once, without its task priorities. */
  readonly expiring: readonly JobRow[];
}

export type BlobSize = Pick<BlobRow, 'sha256' | 'sizeBytes'>;
