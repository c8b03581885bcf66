// The one connection to the file: reads, transactions, and the facts about the whole database as of the
// newest commit. Everything runs on the calling thread.

import type { DatabaseSync } from 'node:sqlite';
import { asFault, closed } from './file/faults.ts';
import type { FileLock } from './file/file-lock.ts';
import type { LogWatch } from './file/log-watch.ts';
import type { Patience } from './file/patience.ts';
import { type Meta, MetaTable } from './tables/meta-table.ts';
import { prepare, type Statement } from './tables/statement.ts';

export interface Surroundings {
  readonly path: string;
  readonly lock: FileLock;
  readonly patience: Patience;
  readonly logWatch: LogWatch;
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

  /** Runs the work at once, and translates errors of SQLite into faults. */
  look<T>(work: Work<T>): T {
    if (!this.#db.isOpen) throw closed();
    try {
      return work(this.#meta.generation);
    } catch (error) {
      throw asFault(error, this.#surroundings.path, 'read');
    }
  }

  /** The same for work that writes: waits for a lock that another program holds. */
  lookPatiently<T>(work: Work<T>): Promise<T> {
    return this.#surroundings.patience.run(() => this.look(work));
  }

  /** Runs the work as one transaction, which must change nothing that `meta` says. */
  transact<T>(work: Work<T>): T {
    let answer: T | undefined;
    this.write(() => {
      answer = work(this.#meta.generation);
      return this.#meta;
    });
    return answer as T;
  }

  transactPatiently<T>(work: Work<T>): Promise<T> {
    return this.lookPatiently(() => this.transact(work));
  }

  /**
   * The same without waiting for the disk, for what a power cut may undo: it is done again, or nobody was promised it. What is
   * committed afterwards is synced together with it, so no later commit is ever kept without it.
   */
  transactUnsynced<T>(work: Work<T>): T {
    this.#db.exec('pragma synchronous = normal');
    try {
      return this.transact(work);
    } finally {
      this.#db.exec('pragma synchronous = full');
    }
  }

  transactUnsyncedPatiently<T>(work: Work<T>): Promise<T> {
    return this.lookPatiently(() => this.transactUnsynced(work));
  }

  /** Runs the work as one transaction. It returns the facts about the database afterwards. */
  write(work: () => Meta): void {
    const { path, logWatch } = this.#surroundings;
    this.#begin.run();
    try {
      const meta = work();
      if (meta !== this.#meta) this.#metaTable.write(meta);
      this.#commit.run();
      this.#meta = meta;
      logWatch.look();
    } catch (error) {
      // After some faults SQLite has rolled back already.
      if (this.#db.isTransaction) this.#rollback.run();
      throw asFault(error, path, 'write');
    }
  }

  close(): void {
    if (!this.#db.isOpen) return;
    this.#db.close();
    this.#surroundings.lock.release();
  }
}
