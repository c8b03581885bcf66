// How often this worker loses what it runs, for the interval between checkpoints: a connection that
// broke, a sandbox that died, an agent that was killed. Before anything is known, once in half an hour.

const assumedMs = 30 * 60_000;

export class Losses {
  readonly #sinceMs: number;
  #count: number;

  /** `count`: those known from before, `sinceMs`: when this record begins. */
  constructor(sinceMs: number, count = 0) {
    this.#sinceMs = sinceMs;
    this.#count = count;
  }

  note(): void {
    this.#count += 1;
  }

  /** The assumption counts as half an hour with one loss: (30 min + time seen) / (1 + losses seen). */
  meanTimeMs(nowMs: number): number {
    return (assumedMs + nowMs - this.#sinceMs) / (1 + this.#count);
  }
}
