// When each device may compute: one after the other, in turns of a fixed length. At any moment one of them runs at
// most, so none is slowed by another, and what is left of the machine is for the coordinator and the workers' own
// processes. A window that became too long or too short, because whoever ends it was late, is made good in the next.

/** Times in milliseconds. */
export class Turns {
  readonly #shares: readonly number[];
  readonly #turnMs: number;
  /** What each device may still have. */
  readonly #owedMs: number[];
  #turnAt: number;

  /** `shares`: of one core, above 0, 1 together at most. Throws a RangeError for others. */
  constructor(shares: readonly number[], turnMs: number, now: number) {
    const sum = shares.reduce((total, share) => total + share, 0);
    if (shares.some((share) => !(share > 0)) || !(sum <= 1 + roundingError)) {
      throw new RangeError(
        `Shares of one core are above 0, and 1 together at most: ${shares.join(', ')}.`,
      );
    }
    this.#shares = shares;
    this.#turnMs = turnMs;
    this.#owedMs = shares.map((share) => share * turnMs);
    this.#turnAt = now;
  }

  /** How long it may run now; 0 or less when it has had more than its part. */
  windowMs(lane: number): number {
    return this.#owedMs[lane]!;
  }

  /**
   * What is late by more than a turn is not counted: then the machine itself was away (it slept, it was suspended), and
   * so was the device.
   */
  ran(lane: number, forMs: number): void {
    const owedMs = this.#owedMs[lane]!;
    this.#owedMs[lane] = owedMs - Math.min(forMs, Math.max(0, owedMs) + this.#turnMs);
  }

  /** Ends the turn: everybody is given a part of the next one, which begins at the time that is returned. */
  next(now: number): number {
    // A machine that was away for a while is not made up for.
    const length = Math.min(Math.max(this.#turnMs, now - this.#turnAt), mostTurns * this.#turnMs);
    this.#turnAt = Math.max(now, this.#turnAt + this.#turnMs);
    this.#shares.forEach((share, lane) => {
      this.#owedMs[lane]! += share * length;
    });
    return this.#turnAt;
  }
}

const roundingError = 1e-9;
const mostTurns = 10;
