// No other program should write to the file, but one may (a `vacuum`, a shell left in a transaction), and
// holds the write lock meanwhile. A transaction that could not begin is tried again after a short pause,
// so that everything else goes on meanwhile.

import { setTimeout as pause } from 'node:timers/promises';
import { StoreFault } from '../../store.ts';

/** How long SQLite itself waits for the lock, which blocks the event loop. */
export const lockTimeoutMs = 50;
const pauseMs = 50;
const defaultPatienceMs = 30_000;

export class Patience {
  private readonly patienceMs: number;
  private readonly onWaiting: () => void;

  /** `onWaiting` is called once for each write that has to wait. */
  constructor(onWaiting: () => void = () => undefined, patienceMs = defaultPatienceMs) {
    this.onWaiting = onWaiting;
    this.patienceMs = patienceMs;
  }

  /** `work` is one transaction that takes the lock first. */
  async run<T>(work: () => T): Promise<T> {
    const until = performance.now() + this.patienceMs;
    for (let tries = 1; ; tries++) {
      try {
        return work();
      } catch (error) {
        const isLocked = error instanceof StoreFault && error.code === 'store_locked';
        if (!isLocked || performance.now() >= until) throw error;
      }
      if (tries === 1) this.onWaiting();
      await pause(pauseMs);
    }
  }
}
