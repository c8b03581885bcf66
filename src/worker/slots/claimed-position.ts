// What is believed of the position that a child notes: the number of the attempt that it runs. Task code that has
// broken out of its realm may note any number, to meet no deadline. So a position counts only if that attempt is held
// by the child, and if it moves forward. A child that names none of those that it holds for long, though it still
// speaks, runs the oldest one.
//
// It can still name an attempt behind the one that runs. Then the deadline of that one runs, and the child can do so
// only once for each that it holds.

interface Numbered {
  readonly number: number;
}

interface HeldByChild<T extends Numbered> {
  first(): T | undefined;
  byNumber(number: number): T | undefined;
}

/**
 * Looks at a child that names nothing. Longer than a child may be silent: an honest one that hangs between two
 * attempts, in promises that an ended one has left behind, is ended for its silence before.
 */
const unnamedLooks = 400;
/** A child that has run nothing yet may only be slow to begin. */
const firstUnnamedLooks = 6000;

export class ClaimedPosition<T extends Numbered> {
  readonly #held: HeldByChild<T>;
  #number = 0;
  #looks = 0;
  /** Number of the oldest attempt, while none that is held is named. */
  #oldest = 0;

  constructor(held: HeldByChild<T>) {
    this.#held = held;
  }

  /** A new child. */
  begin(): void {
    this.#number = 0;
    this.#looks = 0;
    this.#oldest = 0;
  }

  /** What runs, as far as it is known. */
  look(claim: number): T | undefined {
    const claimed = claim > this.#number ? this.#held.byNumber(claim) : undefined;
    if (claimed !== undefined) this.#number = claimed.number;
    const running = this.#held.byNumber(this.#number);
    if (running !== undefined) {
      this.#looks = 0;
      return running;
    }
    const oldest = this.#held.first();
    const number = oldest?.number ?? 0;
    if (number !== this.#oldest) this.#looks = 0;
    this.#oldest = number;
    const limit = this.#number === 0 ? firstUnnamedLooks : unnamedLooks;
    return ++this.#looks > limit ? oldest : undefined;
  }
}
