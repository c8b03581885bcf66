// A file into which a database is moved.

import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { MovedFacts, MovedRow, MovedTable } from '../../move/moved-tables.ts';
import { type Half, type MoveTarget, refuseSame } from '../../move/sides.ts';
import { StoreFault } from '../../store.ts';
import { asFault } from '../file/faults.ts';
import { type FileLock, lockFile } from '../file/file-lock.ts';
import {
  fileAddress,
  halfId,
  makeHalfTable,
  readHalfText,
  writeHalfText,
} from '../file/half-file.ts';
import { applicationId, inspectFile, isHalfFile, readNumber } from '../file/inspect.ts';
import { migrate, newestVersion } from '../file/migrate.ts';
import { RowWriter } from '../tables/row-writer.ts';
import type { Cell } from '../tables/statement.ts';
import { writeFacts } from './facts.ts';
import { FileSide } from './file-side.ts';
import { type StoredTable, storedTables } from './stored-tables.ts';

/** Throws a `StoreFault` when something else is there, or the source. Its folder must be there. */
export function openFileTarget(path: string, source?: string): MoveTarget {
  const whole = resolve(path);
  const realPath = existsSync(whole)
    ? realpathSync(whole)
    : join(realpathSync(dirname(whole)), basename(whole));
  refuseSame(source, fileAddress(realPath), fileAddress(whole));
  const lock = lockFile(realPath);
  try {
    if (!isHalfFile(realPath)) {
      if (sizeOf(realPath) + sizeOf(`${realPath}-wal`) > 0) throw occupied(realPath);
      return new FileTarget(realPath, lock);
    }
    const db = openHalf(realPath);
    const version = readNumber(db, 'pragma user_version');
    if (version === newestVersion) return new FileTarget(realPath, lock, db);
    db.close();
    throw ofOtherVersion(realPath);
  } catch (error) {
    lock.release();
    throw asFault(error, realPath, 'write');
  }
}

class FileTarget extends FileSide implements MoveTarget {
  readonly #lock: FileLock;
  #db: DatabaseSync | undefined;
  #tables: ReadonlyMap<string, StoredTable> | undefined;
  readonly #writers = new Map<string, RowWriter<MovedRow>>();

  constructor(path: string, lock: FileLock, db?: DatabaseSync) {
    super(path);
    this.#lock = lock;
    this.#db = db;
  }

  protected get db(): DatabaseSync {
    return this.#db!;
  }

  async readHalf(): Promise<Half | undefined> {
    if (this.#db === undefined) return undefined;
    return this.attempt('read', () => JSON.parse(readHalfText(this.db)) as Half);
  }

  /** Made under another name first, so that a file of the right name can always be gone on with. */
  async begin(half: Half, facts: MovedFacts): Promise<void> {
    this.attempt('write', () => {
      const draft = `${this.path}.new`;
      for (const suffix of ['', '-journal']) rmSync(draft + suffix, { force: true });
      const db = new DatabaseSync(draft);
      try {
        db.exec(
          `pragma page_size = 4096; pragma auto_vacuum = none; pragma application_id = ${halfId}`,
        );
        migrate(db);
        db.exec('begin immediate');
        makeHalfTable(db);
        writeFacts(db, facts);
        writeHalfText(db, JSON.stringify(half));
        db.exec('commit');
      } finally {
        db.close();
      }
      renameSync(draft, this.path);
      syncFolder(this.path);
      this.#db = openHalf(this.path);
    });
  }

  async write(table: MovedTable, rows: readonly MovedRow[], half: Half): Promise<void> {
    this.#transact(() => {
      this.#writer(table).write(rows);
      writeHalfText(this.db, JSON.stringify(half));
    });
  }

  async finish(): Promise<void> {
    this.#transact(() => {
      this.db.exec(`drop table moving; pragma application_id = ${applicationId}`);
    });
    // The header of a file says what it is: nobody reads it from the log.
    this.attempt('write', () => this.db.exec('pragma wal_checkpoint(truncate)'));
  }

  async close(): Promise<void> {
    this.#db?.close();
    this.#lock.release();
  }

  #transact(work: () => void): void {
    this.attempt('write', () => {
      this.db.exec('begin immediate');
      try {
        work();
        this.db.exec('commit');
      } catch (error) {
        if (this.db.isTransaction) this.db.exec('rollback');
        throw error;
      }
    });
  }

  #writer({ name, columns }: MovedTable): RowWriter<MovedRow> {
    let writer = this.#writers.get(name);
    if (writer === undefined) {
      this.#tables ??= storedTables(this.db);
      const { writes } = this.#tables.get(name)!;
      const makings = Object.values(writes).map(({ from, make }) => ({
        make,
        places: from.map((column) => columns.indexOf(column)),
      }));
      const encode = (cells: Cell[], offset: number, row: MovedRow) => {
        makings.forEach(({ make, places }, i) => {
          cells[offset + i] = make(...places.map((place) => row[place]!));
        });
      };
      writer = new RowWriter(this.db, name, Object.keys(writes), '', encode);
      this.#writers.set(name, writer);
    }
    return writer;
  }
}

function openHalf(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec(`pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = off;
    pragma temp_store = memory; pragma mmap_size = 0; pragma cache_size = -${64 * 1024}`);
  return db;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function syncFolder(path: string): void {
  // Windows does not sync folders.
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function occupied(path: string): StoreFault {
  // What is not for us, or damaged, is told as ever.
  inspectFile(path, newestVersion);
  return new StoreFault(
    'store_occupied',
    `There is a database at ${path} already. Name a file that is not there yet.`,
  );
}

function ofOtherVersion(path: string): StoreFault {
  return new StoreFault(
    'store_occupied',
    `Another version of Muster has begun to move a database to ${path}. Go on with that version, or remove the file and ` +
      'begin anew.',
  );
}
