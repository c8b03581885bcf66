// A commit without rows whenever there was none for a second: a log that stands still says that nobody lives.

import type { CommitLog } from './commit-log.ts';

const everyMs = 1_000;

/** Calls again and again; returns what ends it. */
export type Often = (everyMs: number, fn: () => void) => () => void;

const really: Often = (ms, fn) => {
  const timer = setInterval(fn, ms);
  timer.unref();
  return () => clearInterval(timer);
};

export class SignsOfLife {
  readonly stop: () => void;

  constructor(log: CommitLog, often: Often = really) {
    this.stop = often(everyMs / 2, () => {
      // What it fails of, the next batch is told.
      if (!log.isFresh(everyMs)) log.confirm().catch(() => undefined);
    });
  }
}
