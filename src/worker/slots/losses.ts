// How often this worker loses running attempts, which decides the interval between checkpoints. A
// loss is a connection that broke, a sandbox that died, or an agent that was killed. Before
// anything is known, one loss in half an hour is assumed.

import type { EndCause } from './child.ts';

const assumedMs = 30 * 60_000;

export class Losses {
  readonly #sinceMs: number;
  #count: number;

  /** `sinceMs`: when this record begins; `count`: losses that are known from before. */
  constructor(sinceMs: number, count = 0) {
    this.#sinceMs = sinceMs;
    this.#count = count;
  }

  note(): void {
    this.#count += 1;
  }

  /**
   * The assumption counts as half an hour with one loss: (30 min + time seen) / (1 + losses seen).
   */
  meanTimeMs(nowMs: number): number {
    return (assumedMs + nowMs - this.#sinceMs) / (1 + this.#count);
  }
}

/**
 * True when the attempt that ran is lost with the child; all other ends the agent caused itself.
 */
export function isLoss(cause: EndCause): boolean {
  return cause === null || cause === 'out_of_memory' || cause === 'unresponsive';
}
