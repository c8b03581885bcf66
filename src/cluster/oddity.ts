// Something that may be so for a moment, and is told of once when it stays.

/** From when on it has stayed. */
const oddMs = 10_000;

export class Oddity {
  readonly #now: () => number;
  #seen: { readonly what: string; readonly since: number; isTold: boolean } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `what` it is at this moment; undefined while nothing is odd. */
  isNews(what: string | undefined): boolean {
    if (what !== this.#seen?.what) {
      this.#seen = what === undefined ? undefined : { what, since: this.#now(), isTold: false };
    }
    const seen = this.#seen;
    if (seen === undefined || seen.isTold || this.#now() - seen.since < oddMs) return false;
    seen.isTold = true;
    return true;
  }
}
