// Opens a database file, or makes one; refuses a file that it must not touch (`inspect.ts`).

import { existsSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Store } from '../store.ts';
import { asFault, unwritable } from './file/faults.ts';
import { type FileLock, lockFile } from './file/file-lock.ts';
import { applicationId, inspectFile } from './file/inspect.ts';
import { LogSync, type SyncFile } from './file/log-sync.ts';
import { LogWatch, type LogWatchOptions } from './file/log-watch.ts';
import { migrate, newestVersion } from './file/migrate.ts';
import { lockTimeoutMs, Patience } from './file/patience.ts';
import { makeSqliteStore } from './sqlite-store.ts';

export interface SqliteOptions {
  /** Memory for database pages; 8 by default, because most work is at the end of the tables. */
  readonly cacheMb?: number;
  /** The file may not grow beyond this, as on a disk that is full. For tests. */
  readonly maxPages?: number;
  /** Called with the progress of an upgrade of an older file: nothing else happens meanwhile. */
  readonly onUpgrade?: (sentence: string) => void;
  /** Called when a write has to wait because another program holds the write lock. */
  readonly onWaiting?: () => void;
  /** Called once for each damaged value that is read. */
  readonly onDamage?: (sentence: string) => void;
  /** Called when the write-ahead log stays large, because another program reads, and when it has doubled. */
  readonly onLargeLog?: (bytes: number) => void;
  readonly logWatch?: LogWatchOptions;
  /** How what was written to the log is brought to the disk; for tests. */
  readonly syncLog?: SyncFile;
  /** How long a write waits for the lock; half a minute by default. */
  readonly patienceMs?: number;
}

/** `:memory:` keeps nothing. Throws `StoreFault`. */
export function openSqliteStore(path: string, options: SqliteOptions = {}): Store {
  if (path === ':memory:') return openMemory(options);
  const realPath = findRealPath(path);
  const lock = lockFile(realPath);
  let db: DatabaseSync | undefined;
  try {
    if (!inspectFile(realPath, newestVersion)) createFile(realPath);
    db = new DatabaseSync(realPath, { timeout: writeLockTimeoutMs });
    configure(db, options);
    migrate(db, options.onUpgrade);
    // From now on `Patience` waits for the lock.
    db.exec(`pragma busy_timeout = ${lockTimeoutMs}`);
    const patience = new Patience(options.onWaiting, options.patienceMs);
    const { onDamage, onLargeLog = () => undefined } = options;
    const logWatch = new LogWatch(realPath, onLargeLog, options.logWatch);
    const logSync = new LogSync(realPath, options.syncLog);
    // From now on `LogSync` waits for the disk.
    db.exec('pragma synchronous = normal');
    return makeSqliteStore(db, { path: realPath, lock, patience, logWatch, logSync }, onDamage);
  } catch (error) {
    db?.close();
    lock.release();
    throw asFault(error, path, 'write');
  }
}

/** While the file is opened: another program may be looking at it, though none should write. */
const writeLockTimeoutMs = 2_000;

function openMemory(options: SqliteOptions): Store {
  const db = new DatabaseSync(':memory:');
  configure(db, options);
  migrate(db);
  const lock: FileLock = { release: () => undefined };
  const patience = new Patience();
  const logWatch = new LogWatch(':memory:', () => undefined);
  return makeSqliteStore(db, { path: ':memory:', lock, patience, logWatch, logSync: null });
}

/** Two names of one file must meet at one lock. Makes the directory. */
function findRealPath(path: string): string {
  const whole = resolve(path);
  try {
    mkdirSync(dirname(whole), { recursive: true });
    if (existsSync(whole)) return realpathSync(whole);
    return join(realpathSync(dirname(whole)), basename(whole));
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Made under another name first, so that a file of the right name is always complete. */
function createFile(path: string): void {
  const draft = `${path}.new`;
  for (const suffix of ['', '-journal']) rmSync(draft + suffix, { force: true });
  const db = new DatabaseSync(draft);
  try {
    db.exec(`pragma page_size = 4096; pragma auto_vacuum = none;
      pragma application_id = ${applicationId}`);
  } finally {
    db.close();
  }
  renameSync(draft, path);
}

function configure(db: DatabaseSync, options: SqliteOptions): void {
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma foreign_keys = off;
    pragma temp_store = memory;
    pragma mmap_size = 0;
    pragma cache_size = -${(options.cacheMb ?? 8) * 1024};
    pragma journal_size_limit = ${8 * 1024 * 1024};
    pragma wal_autocheckpoint = 1000;
  `);
  if (options.maxPages !== undefined) db.exec(`pragma max_page_count = ${options.maxPages}`);
}
