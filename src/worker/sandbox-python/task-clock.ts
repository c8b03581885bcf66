// The time of a task: it begins at the same moment in every attempt, and runs with a clock that only rises.

/** 2000-01-01T00:00:00Z. */
const beginning = 946_684_800_000;

export class TaskClock {
  readonly #now: () => number;
  #startedAt: number;

  /** `now`: milliseconds of a clock that only rises. */
  constructor(now: () => number) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** An attempt begins. */
  restart(): void {
    this.#startedAt = this.#now();
  }

  elapsedMs(): number {
    return this.#now() - this.#startedAt;
  }

  dateMs(): number {
    return beginning + Math.floor(this.elapsedMs());
  }
}
