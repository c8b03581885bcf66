// How many commands a batch takes. Each batch costs a commit, and on a server a round trip: so while more waits than fits,
// batches grow, for as long as what a batch keeps the event loop from is short.

/** A turn of the event loop that nobody notices. */
const bearableMs = 10;
const growth = 1.25;

export class BatchSize {
  /** With which it begins, and below which it does not fall. */
  readonly least: number;
  readonly #most: number;
  #now: number;

  constructor(least: number, most: number) {
    this.least = least;
    this.#most = most;
    this.#now = least;
  }

  get now(): number {
    return this.#now;
  }

  /** `hasMore`: works were left for the next batch. `turnMs`: how long this one kept the event loop busy. */
  learn(hasMore: boolean, turnMs: number): void {
    if (turnMs > bearableMs || !hasMore) {
      this.#now = Math.max(this.least, Math.floor(this.#now / growth));
    } else if (turnMs * growth < bearableMs) {
      this.#now = Math.min(this.#most, Math.ceil(this.#now * growth));
    }
  }
}
