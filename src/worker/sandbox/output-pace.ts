// Bounds how many messages with printed text a child sends: a message costs about as much as twenty short
// tasks. A bucket of one second's worth, so that a task which prints a few lines and then hangs has told
// them all.

export class OutputPace {
  readonly #perSecond: number;
  #left: number;
  #filledAt = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  /** Takes one message out of the bucket if there is one. */
  mayTell(nowMs: number): boolean {
    const more = ((nowMs - this.#filledAt) / 1000) * this.#perSecond;
    this.#left = Math.min(this.#perSecond, this.#left + Math.max(0, more));
    this.#filledAt = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
