// A commit without rows whenever there was none for a second: a log that stands still says that nobody lives.

import type { CommitLog } from './commit-log.ts';

const everyMs = 1_000;

export class SignsOfLife {
  readonly #timer: NodeJS.Timeout;

  constructor(log: CommitLog) {
    this.#timer = setInterval(() => {
      // What it fails of, the next batch is told.
      if (!log.isFresh(everyMs)) log.confirm().catch(() => undefined);
    }, everyMs / 2);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
