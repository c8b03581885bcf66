// What only the one writer may do: everything that others see changes here.

import type { StoredState, WriteBatch } from './rows.ts';

export interface Writing {
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
