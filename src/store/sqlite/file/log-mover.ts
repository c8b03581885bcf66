// Moves what the write-ahead log holds into the database, on a thread of its own (`log-mover-thread.ts`). It reads
// and writes every page once more and syncs twice, which would hold up the event loop for some tens of milliseconds
// for every few megabytes of payloads.
//
// While writes never pause, the thread is never quite done, and the log can only begin anew when it is. So SQLite
// still does it within a commit when the log has grown to four times the size: then only little is left to move.
//
// The thread costs 13 MB of memory (30 where its source is read as it is), so it begins with the first large commit:
// of small ones, as those of tasks without payloads are, SQLite moves the log itself, as ever.

import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { prepare, type Statement } from '../tables/statement.ts';

/** In pages. */
const largeCommit = 64;
const movedFrom = 1_000;
const movedWithinCommitFrom = 4_000;
const threadHeapMb = 32;
/** The first version that tells the size of the log without moving anything. */
const leastVersion = [3, 51];

const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const threadUrl = new URL(`./log-mover-thread${extension}`, import.meta.url);

export class LogMover {
  readonly #db: DatabaseSync;
  readonly #path: string;
  /** Null where it is all done within commits: in memory, with an older SQLite, and after a fault of the thread. */
  #sizes: Statement | null;
  #thread: Worker | undefined;
  #isMoving = false;
  /** How large the log was after the commit before. */
  #pages: number;

  /** `path` is the path of the database. */
  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
    db.exec(`pragma wal_autocheckpoint = ${movedFrom}`);
    const isPossible = path !== ':memory:' && isNewEnough(db);
    this.#sizes = isPossible ? prepare(db, 'pragma wal_checkpoint(noop)') : null;
    // What an upgrade of the file has written is no commit of ours.
    this.#pages = Number(this.#sizes?.get()?.[1] ?? 0);
  }

  /** Called after a write, which stays committed whatever happens here; returns at once. */
  look(): void {
    if (this.#sizes === null || this.#isMoving) return;
    try {
      this.#moveIfMuch(this.#sizes);
    } catch {
      this.#giveUp();
    }
  }

  #moveIfMuch(sizes: Statement): void {
    const [, pages, moved] = (sizes.get() ?? []).map(Number);
    if (pages === undefined || moved === undefined) return;
    const grown = pages - this.#pages;
    this.#pages = pages;
    if (this.#thread === undefined && grown < largeCommit) return;
    this.#thread ??= this.#start();
    if (pages - moved < movedFrom) return;
    this.#isMoving = true;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    this.#thread.postMessage('move');
  }

  /** Resolves when the thread has closed the database: whoever closes it last removes the log. */
  stop(): Promise<void> | undefined {
    this.#sizes = null;
    const thread = this.#thread;
    if (thread === undefined) return undefined;
    const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()));
    thread.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    thread.postMessage('end');
    return ended;
  }

  #start(): Worker {
    const thread = new Worker(threadUrl, {
      workerData: this.#path,
      resourceLimits: { maxOldGenerationSizeMb: threadHeapMb },
    });
    thread.on('message', () => {
      this.#isMoving = false;
    });
    // A full or faulty disk: the commits will meet it themselves.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      this.#thread = undefined;
      if (this.#sizes !== null) this.#giveUp();
    });
    thread.unref();
    this.#db.exec(`pragma wal_autocheckpoint = ${movedWithinCommitFrom}`);
    return thread;
  }

  #giveUp(): void {
    this.#sizes = null;
    this.#db.exec(`pragma wal_autocheckpoint = ${movedFrom}`);
  }
}

function isNewEnough(db: DatabaseSync): boolean {
  const version = prepare(db, 'select sqlite_version()').get()?.[0];
  const [major = 0, minor = 0] = String(version).split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = leastVersion;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
