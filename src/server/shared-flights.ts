// Makes one thing at a time for all who ask. Who asks while one is made shares the next, which begins when that one
// has ended, well or badly: what they get was begun after they asked.

/** After something could not be made for all, nobody tries for so long. */
const givenUpForMs = 60_000;

export class SharedFlights<T> {
  readonly #now: () => number;
  #running: Promise<T | undefined> | undefined;
  #next: Promise<T | undefined> | undefined;
  #givenUpUntil = -Infinity;

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** `make` gives undefined, and so does this, when it cannot be made for all. */
  join(make: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#next !== undefined) return this.#next;
    if (this.#running === undefined) return this.#begin(make);
    const begin = () => {
      this.#next = undefined;
      return this.#begin(make);
    };
    this.#next = this.#running.then(begin, begin);
    return this.#next;
  }

  #begin(make: () => Promise<T | undefined>): Promise<T | undefined> {
    if (this.#now() < this.#givenUpUntil) return Promise.resolve(undefined);
    this.#running = this.#made(make);
    return this.#running;
  }

  async #made(make: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      const made = await make();
      if (made === undefined) this.#givenUpUntil = this.#now() + givenUpForMs;
      return made;
    } finally {
      this.#running = undefined;
    }
  }
}
