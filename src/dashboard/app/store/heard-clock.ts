// What time it is by the clock of the coordinator, as far as its messages tell. A message may come late and never
// early: one that seems late says how old it is, and nothing of the clock, unless the clock went back.

/** What is near is the way of the message. */
const nearMs = 2_000;
/** For so long all have to be late before they are taken for punctual: no two clocks go alike for days. */
const driftAfterMs = 60_000;
/** More than that is no drift. */
const mostDriftMs = 10_000;

export interface Hearing {
  /** How long it was on its way; 0 for the usual way. */
  readonly lateMs: number;
  /** By so much the clock was wrong before. */
  readonly wrongMs: number;
}

export class HeardClock {
  #offsetMs: number;
  #saidMs: number | null = null;
  #leastLateMs = Number.POSITIVE_INFINITY;
  #leastSinceMs = 0;

  /** `ownMs` of all calls: of a clock that nobody sets. */
  constructor(guessMs: number, ownMs: number) {
    this.#offsetMs = guessMs - ownMs;
  }

  at(ownMs: number): number {
    return ownMs + this.#offsetMs;
  }

  hear(saidMs: number, ownMs: number): Hearing {
    const lateMs = this.at(ownMs) - saidMs;
    const isSetBack = this.#saidMs === null || saidMs < this.#saidMs - nearMs;
    this.#saidMs = saidMs;
    if (lateMs < -nearMs || (isSetBack && lateMs > nearMs)) {
      this.#correct(-lateMs, ownMs);
      return { lateMs: 0, wrongMs: Math.abs(lateMs) };
    }
    this.#leastLateMs = Math.min(this.#leastLateMs, lateMs);
    if (ownMs - this.#leastSinceMs > driftAfterMs) {
      const driftMs = this.#leastLateMs;
      this.#correct(driftMs > nearMs && driftMs <= mostDriftMs ? -driftMs : 0, ownMs);
    }
    const leftMs = this.at(ownMs) - saidMs;
    return { lateMs: leftMs > nearMs ? leftMs : 0, wrongMs: 0 };
  }

  #correct(byMs: number, ownMs: number): void {
    this.#offsetMs += byMs;
    this.#leastLateMs = Number.POSITIVE_INFINITY;
    this.#leastSinceMs = ownMs;
  }
}
