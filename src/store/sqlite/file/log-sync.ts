// Brings the write-ahead log to the disk; unless that is quick, in a thread of the pool, so that the event loop goes on
// meanwhile: a slow disk takes many milliseconds. SQLite itself writes the log without waiting (`synchronous = normal`),
// and waits only before it moves the log into the database.

import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { DiskPace } from './disk-pace.ts';
import { closed, unsynced } from './faults.ts';

/** Resolves when everything written to the open file by now is on the disk. */
export type SyncFile = (file: number) => Promise<void>;

export class LogSync {
  readonly #path: string;
  readonly #sync: SyncFile;
  #file: number | undefined;
  /** Transactions that must be on the disk before anybody hears of them, and those of them that are. */
  #written = 0;
  #kept = 0;
  #running: Promise<void> | undefined;
  /** Once a sync has failed, the next one may succeed without what the failed one has lost. */
  #fault: Error | undefined;

  /** `path` is the path of the database. */
  constructor(path: string, sync: SyncFile = syncAtItsPace()) {
    this.#path = path;
    this.#sync = sync;
  }

  /** A transaction was committed to the log. */
  wrote(): void {
    this.#written++;
  }

  /**
   * Resolves when everything that was written before the call is on the disk: within two syncs, however much is written
   * meanwhile. Throws `StoreFault`.
   */
  async caughtUp(): Promise<void> {
    const written = this.#written;
    while (this.#kept < written) await (this.#running ??= this.#run());
  }

  /** What is running is waited for; what is behind is lost if the power fails before the system writes it. */
  async close(): Promise<void> {
    this.#fault ??= closed();
    await this.#running?.catch(() => undefined);
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** One sync is for all that came before it. */
  async #run(): Promise<void> {
    try {
      if (this.#fault !== undefined) throw this.#fault;
      const written = this.#written;
      this.#file ??= openSync(`${this.#path}-wal`, 'r+');
      await this.#sync(this.#file);
      this.#kept = written;
    } catch (error) {
      this.#fault ??= unsynced(this.#path, error as NodeJS.ErrnoException);
      throw this.#fault;
    } finally {
      this.#running = undefined;
    }
  }
}

function syncAtItsPace(): SyncFile {
  const beside = promisify(fdatasync);
  const pace = new DiskPace();
  return async (file) => {
    if (!pace.isQuick()) return beside(file);
    const begunAt = performance.now();
    fdatasyncSync(file);
    pace.took(performance.now() - begunAt);
  };
}
