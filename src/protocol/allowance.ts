// So many units a second, and one second's worth at once: how live output is bounded, by who sends it and
// by who receives it.

export class Allowance {
  readonly #perSecond: number;
  #left: number;
  #filledAtMs = -Infinity;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  /** Whole units that may be spent now. A clock that was set back costs a moment, not everything. */
  room(nowMs: number): number {
    const more = (Math.max(0, nowMs - this.#filledAtMs) / 1000) * this.#perSecond;
    this.#filledAtMs = nowMs;
    this.#left = Math.min(this.#perSecond, this.#left + more);
    return Math.floor(this.#left);
  }

  spend(units: number): void {
    this.#left -= units;
  }
}
