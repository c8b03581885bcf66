// The time of the database between two looks at it, by a clock that only rises: whatever is wrong with the clock of
// this machine, or is done to it, moves no deadline, and no time goes back when another member takes over.

/** What a slower answer says may be off by as much as half of that. */
const mostTripMs = 250;

export class DatabaseClock {
  readonly #steady: () => number;
  #aheadMs: number | undefined;

  /** `steady`: milliseconds of a clock that only rises. */
  constructor(steady: () => number) {
    this.#steady = steady;
  }

  /** It was `at` there at some moment since it was asked. */
  heard(at: number, askedAt: number): void {
    const answeredAt = this.#steady();
    if (this.#aheadMs !== undefined && answeredAt - askedAt > mostTripMs) return;
    this.#aheadMs = at - (askedAt + answeredAt) / 2;
  }

  /** Whole milliseconds since the epoch. Call when it was heard once. */
  now(): number {
    return Math.floor(this.#aheadMs! + this.#steady());
  }
}
