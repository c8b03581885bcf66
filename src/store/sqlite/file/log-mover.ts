// Moves what the write-ahead log holds into the database, on a thread of its own (`log-mover-thread.ts`). It reads
// and writes every page once more and syncs twice, which would hold up the event loop for some tens of milliseconds
// for every few megabytes of payloads.
//
// While writes never pause, the thread is never quite done, and the log can only begin anew when it is. So SQLite
// still does it within a commit when the log has grown to four times the size: then only little is left to move.

import type { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { prepare, type Statement } from '../tables/statement.ts';

/** In pages. */
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
  /** Null where it is all done within commits: in memory, and with an older SQLite. */
  #sizes: Statement | null = null;
  #thread: Worker | undefined;
  #isMoving = false;

  /** `path` is the path of the database. */
  constructor(db: DatabaseSync, path: string) {
    this.#db = db;
    this.#path = path;
    if (path === ':memory:' || !isNewEnough(db)) this.#moveWithinCommits();
    else {
      this.#sizes = prepare(db, 'pragma wal_checkpoint(noop)');
      db.exec(`pragma wal_autocheckpoint = ${movedWithinCommitFrom}`);
    }
  }

  /** Called after a write; returns at once. */
  look(): void {
    if (this.#sizes === null || this.#isMoving) return;
    if (this.#unmoved(this.#sizes) < movedFrom) return;
    this.#isMoving = true;
    this.#thread ??= this.#start();
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

  /** In pages. What is committed stays so when this fails. */
  #unmoved(sizes: Statement): number {
    try {
      const [, pages, moved] = sizes.get() ?? [];
      return Number(pages) - Number(moved);
    } catch {
      return 0;
    }
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
      if (this.#sizes !== null) this.#moveWithinCommits();
    });
    thread.unref();
    return thread;
  }

  #moveWithinCommits(): void {
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
