// What only the one writer may do: everything that others see changes here.

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
   * Once for each coordinator, before everything else. What the one before has left of staged submissions
   * is dropped: `sweep` then removes it.
   */
  load(): Promise<StoredState>;
  /**
   * Keys for jobs, `count` in a row from the one it resolves to. Above every key that was reserved or
   * committed before; durable when it resolves, so that nobody gets them again, whoever crashes. Those that
   * are never used leave a gap. Keys of workers and ids of events need none of this: they become known
   * with the commit that writes them.
   */
  reserveJobKeys(count: number): Promise<number>;
  /**
   * What is stored of all that the next batch names, in one call; what is not there is left out. Rows of
   * jobs in `held` are not read again. The blobs are touched at `at`: they stay until the commit that
   * refers to them. Lets others have a turn when it takes long.
   */
  readVisitors(wanted: WantedRows, held: Held, at: number): Promise<VisitorRows>;
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
   * Resolves when answers may be given from the memory of who has loaded and committed: nobody else has
   * written since. Where nobody else can, that is at once. Throws `StoreFault` when it may no longer.
   */
  confirm(): Promise<void>;
  /**
   * Deletes up to about `rows` rows that nobody can see any more (cleared generations, deleted
   * jobs, dropped submissions, collected blobs, blobs that a crash left in halves); a few thousand
   * are sensible, it stops early when they are large. True when there may be more to do: let others
   * have a turn, then call again. With nothing to do it costs microseconds.
   */
  sweep(rows: number): Promise<boolean>;
  /**
   * Deletes blobs that nothing refers to (no job's input or result, no kept state of a checkpoint)
   * and that were touched last before `before`; `sweep` then removes their bytes. A call looks at
   * `rows` blobs that are old enough and goes on where the one before ended; true when there may be
   * more: a round is over with the first false.
   */
  collectBlobs(before: number, rows: number): Promise<boolean>;
}

export interface WantedRows {
  /** Ids. */
  readonly jobs: ReadonlySet<string>;
  /** Indices by the id of their job. */
  readonly tasks: ReadonlyMap<string, ReadonlySet<number>>;
  readonly workers: ReadonlySet<string>;
  readonly idempotencyKeys: ReadonlySet<string>;
  /** Hashes of blobs that something will refer to. */
  readonly blobs: ReadonlySet<string>;
}

/** Ids of jobs. */
export type Held = Pick<ReadonlySet<string>, 'has'>;

export interface VisitorRows {
  /** Those that are wanted themselves, and those of the tasks and of the idempotency keys. */
  readonly jobs: readonly JobRow[];
  /** With past attempts and without results. */
  readonly tasks: readonly StoredTask[];
  /** Of this generation, deregistered ones included. */
  readonly workers: readonly WorkerRow[];
  readonly idempotencyKeys: readonly IdempotencyRow[];
  readonly blobs: readonly BlobSize[];
}

export type BlobSize = Pick<BlobRow, 'sha256' | 'sizeBytes'>;
