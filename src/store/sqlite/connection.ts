// The one connection to the file: reads, transactions, and the facts about the whole database as of the
// newest commit. Everything but the sync of the log runs on the calling thread. Nobody is told of what is not
// on the disk yet, nor shown it.

import type { DatabaseSync } from 'node:sqlite';
import { asFault, closed } from './file/faults.ts';
import type { FileLock } from './file/file-lock.ts';
import type { LogSync } from './file/log-sync.ts';
import type { LogWatch } from './file/log-watch.ts';
import type { Patience } from './file/patience.ts';
import { type Meta, MetaTable } from './tables/meta-table.ts';
import { prepare, type Statement } from './tables/statement.ts';

export interface Surroundings {
  readonly path: string;
  readonly lock: FileLock;
  readonly patience: Patience;
  readonly logWatch: LogWatch;
  /** Null for a database in memory. */
  readonly logSync: LogSync | null;
}

/** Is called with the present generation. */
type Work<T> = (generation: number) => T;

/** Every method throws `StoreFault`. */
export class Connection {
  readonly #db: DatabaseSync;
  readonly #surroundings: Surroundings;
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #metaTable: MetaTable;
  /** Facts as committed. They cannot change elsewhere: only this connection writes. */
  #meta: Meta;
  #commits = 0;
  #isClosed = false;

  constructor(db: DatabaseSync, surroundings: Surroundings) {
    this.#db = db;
    this.#surroundings = surroundings;
    this.#begin = prepare(db, 'begin immediate');
    this.#commit = prepare(db, 'commit');
    this.#rollback = prepare(db, 'rollback');
    this.#metaTable = new MetaTable(db);
    this.#meta = this.#metaTable.read();
  }

  get meta(): Meta {
    return this.#meta;
  }

  /** Runs the work at once, and resolves when all that it may have seen is on the disk. */
  async read<T>(work: Work<T>): Promise<T> {
    if (this.#isClosed) throw closed();
    try {
      return this.#run(work);
    } finally {
      // Also when it has thrown: that may follow from what is not there yet.
      await this.#surroundings.logSync?.caughtUp();
    }
  }

  /**
   * Runs work with transactions when no other program holds the lock, and resolves when they are on the disk. It may run
   * more than once: it begins its transaction before it changes anything else.
   */
  async durably<T>(work: Work<T>): Promise<T> {
    const answer = await this.unsynced((generation) => {
      const before = this.#commits;
      try {
        return work(generation);
      } finally {
        if (this.#commits > before) this.#surroundings.logSync?.wrote();
      }
    });
    // Also when it has written nothing, since it may have seen what another has just written.
    await this.#surroundings.logSync?.caughtUp();
    return answer;
  }

  /**
   * The same without waiting for the disk, for what a power cut may undo: it is done again, or nobody was promised it. The log
   * has one order, so nothing that is committed afterwards is ever kept without it.
   */
  unsynced<T>(work: Work<T>): Promise<T> {
    return this.#surroundings.patience.run(() => this.#run(work));
  }

  /** Runs the work as one transaction, which must change nothing that `meta` says. */
  transact<T>(work: Work<T>): T {
    let answer: T | undefined;
    this.commit(() => {
      answer = work(this.#meta.generation);
      return this.#meta;
    });
    return answer as T;
  }

  /** Runs the work as one transaction. It returns the facts about the database afterwards. */
  commit(work: () => Meta): void {
    const { path, logWatch } = this.#surroundings;
    this.#begin.run();
    try {
      const meta = work();
      if (meta !== this.#meta) this.#metaTable.write(meta);
      this.#commit.run();
      this.#meta = meta;
      this.#commits++;
      logWatch.look();
    } catch (error) {
      // After some faults SQLite has rolled back already.
      if (this.#db.isTransaction) this.#rollback.run();
      throw asFault(error, path, 'write');
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#surroundings.logSync?.close();
    this.#db.close();
    this.#surroundings.lock.release();
  }

  /** Runs the work at once, and translates errors of SQLite into faults. */
  #run<T>(work: Work<T>): T {
    if (this.#isClosed) throw closed();
    try {
      return work(this.#meta.generation);
    } catch (error) {
      throw asFault(error, this.#surroundings.path, 'read');
    }
  }
}
