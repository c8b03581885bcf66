// The port to durable storage. One coordinator at a time works on a store. Everything of a cleared
// generation is invisible to every query from the commit that raised the generation. A job that is
// deleted, or written again with an older generation, is gone in the same way.
//
// A task is read through its job: in a final job, a row that is not final reads as cancelled
// (`visibility.ts`). Text is Unicode: a lone surrogate may come back as U+FFFD.
//
// Results, errors, inputs, programs and bytes of blobs come back as they were written or not at all:
// a read of a damaged one throws a `StoreFault` with the code `value_damaged`.

import type { Reading } from './reading.ts';
import type { Staging } from './staging.ts';
import type { Writing } from './writing.ts';

/** The store as a coordinator works on it. Each part of a coordinator is given only the part that it needs. */
export interface StoreParts extends Reading, Staging, Writing {}

/** An opened store. Whoever opens it closes it, when nobody works on it any more. */
export interface Store extends StoreParts {
  close(): Promise<void>;
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
  /** One value is damaged; the rest is served. */
  | 'value_damaged'
  /** Another coordinator has it open. */
  | 'store_locked'
  /** The directory cannot be made or written. */
  | 'store_unwritable'
  /** No space is left: a transaction failed. */
  | 'store_full'
  /** I/O error: a transaction failed. */
  | 'store_write_failed'
  /** Its server has not said whether a transaction was written. */
  | 'store_unanswered'
  /** I/O error: a read failed, and nothing was to be written. */
  | 'store_read_failed'
  /** Its server does not answer: nothing was read, and nothing was to be written. */
  | 'store_unreachable'
  /** Another coordinator has taken over: this one may not write any more. */
  | 'store_deposed'
  /** The database went back behind what it had acknowledged. */
  | 'store_lost_commits'
  /** A part of another database that is being moved there. */
  | 'store_half_moved'
  /** It has the schema of an older version, and nothing may be changed in it. */
  | 'store_outdated'
  /** It holds something already. */
  | 'store_occupied'
  | 'store_closed';
