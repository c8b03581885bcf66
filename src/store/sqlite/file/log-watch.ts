// Looks at the size of the write-ahead log now and then. Mostly it stays below 8 MB; but while another
// program reads the database (a backup, a shell left in a transaction), what is written meanwhile stays in
// the log. A large log is reported when it is still large at the next look.

import { statSync } from 'node:fs';

const lookEveryMs = 10_000;
const largeBytes = 64 * 1024 * 1024;
/** The log is reported again when it has doubled. */
const toldAgainAt = 2;

export interface LogWatchOptions {
  readonly lookEveryMs?: number;
  readonly largeBytes?: number;
}

export class LogWatch {
  readonly #path: string;
  readonly #onLarge: (bytes: number) => void;
  readonly #lookEveryMs: number;
  readonly #largeBytes: number;
  #nextLookAt: number;
  #wasLarge = false;
  #toldBytes = 0;

  /** `path` is the path of the database. */
  constructor(path: string, onLarge: (bytes: number) => void, options: LogWatchOptions = {}) {
    this.#path = `${path}-wal`;
    this.#onLarge = onLarge;
    this.#lookEveryMs = options.lookEveryMs ?? lookEveryMs;
    this.#largeBytes = options.largeBytes ?? largeBytes;
    this.#nextLookAt = performance.now() + this.#lookEveryMs;
  }

  /** Called after a write. */
  look(): void {
    const now = performance.now();
    if (now < this.#nextLookAt) return;
    this.#nextLookAt = now + this.#lookEveryMs;
    const bytes = sizeOf(this.#path);
    if (bytes <= this.#largeBytes) {
      this.#wasLarge = false;
      this.#toldBytes = 0;
      return;
    }
    if (this.#wasLarge && bytes >= this.#toldBytes * toldAgainAt) {
      this.#toldBytes = bytes;
      this.#onLarge(bytes);
    }
    this.#wasLarge = true;
  }
}

/** 0 when the size cannot be read: the write itself has succeeded. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
