// Requests that wait until somebody leads: for so long, and so many of them. Of each only its head is in memory, and
// what was kept of its body, which `InFlight` counts.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterPort } from '../../cluster/port.ts';

/** From when on nobody was found. */
export const usualHoldMs = 5_000;
const usualMost = 2_000;
/** A port that answers at once must not keep the loop busy. */
const leastPauseMs = 20;

export class Holding {
  readonly mostMs: number;
  readonly #most: number;
  readonly #cluster: Pick<ClusterPort, 'settled'>;
  readonly #closing: AbortSignal;
  #count = 0;

  constructor(
    cluster: Pick<ClusterPort, 'settled'>,
    closing: AbortSignal,
    mostMs = usualHoldMs,
    most = usualMost,
  ) {
    this.#cluster = cluster;
    this.#closing = closing;
    this.mostMs = mostMs;
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /** False, at once, when there are too many, or when the server ends. `past`: a term that is over. */
  async wait(ms: number, past: string | undefined): Promise<boolean> {
    if (this.#count >= this.#most || this.#closing.aborted) return false;
    this.#count++;
    try {
      await this.#settledOrClosing(ms, past);
      return !this.#closing.aborted;
    } finally {
      this.#count--;
    }
  }

  #settledOrClosing(ms: number, past: string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#closing.removeEventListener('abort', end);
        resolve();
      };
      this.#closing.addEventListener('abort', end);
      Promise.all([this.#cluster.settled(ms, past), sleep(leastPauseMs)]).then(end, reject);
    });
  }
}
