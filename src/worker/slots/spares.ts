// How many spare children are kept beside those that serve the slots: none while no attempts come,
// one while they come, more when children are taken faster than they start. Nothing here reads a
// clock.
//
// A start costs some tenths of a second of processor time. So that it does not compete with a job that is over
// sooner, there is none in the first second after a rest, unless a slot takes a child in it.
//
// While one child starts, `rate · start` others are taken (Little's law). So that one is ready all
// the time, one more than that is kept.

/** The rate counts the children that were taken within this time. */
const windowMs = 2_000;
/** After so long without a new attempt no spare is kept. An attempt that runs needs none. */
const restAfterMs = 30_000;
/** Attempts come for so long before they have a spare. */
export const settleMs = 1_000;
/** Start time of a child before the first was measured. */
const assumedStartMs = 300;
/** Weight of the newest measurement. */
const smoothing = 0.2;

export class Spares {
  readonly #most: number;
  #startMs = assumedStartMs;
  #workedAt = -Infinity;
  /** When the first attempt after a rest came, and whether a slot has taken a child since. */
  #beganAt = -Infinity;
  #hasTaken = false;
  #takenAt: number[] = [];

  /**
   * Keeps at most `most`: each holds memory, and more starts than cores only wait for each other.
   */
  constructor(most: number) {
    this.#most = most;
  }

  /** An attempt came. */
  worked(nowMs: number): void {
    if (nowMs - this.#workedAt >= restAfterMs) {
      this.#beganAt = nowMs;
      this.#hasTaken = false;
    }
    this.#workedAt = nowMs;
  }

  /** A slot took a child. */
  taken(nowMs: number): void {
    this.#takenAt = this.#takenAt.filter((at) => nowMs - at < windowMs);
    this.#takenAt.push(nowMs);
    this.#hasTaken = true;
  }

  /** A child has become ready so long after its start. */
  started(tookMs: number): void {
    this.#startMs += smoothing * (tookMs - this.#startMs);
  }

  wanted(nowMs: number): number {
    if (nowMs - this.#workedAt >= restAfterMs) return 0;
    if (!this.#hasTaken && nowMs - this.#beganAt < settleMs) return 0;
    const taken = this.#takenAt.filter((at) => nowMs - at < windowMs).length;
    const rate = taken / windowMs;
    return Math.min(this.#most, 1 + Math.floor(rate * this.#startMs));
  }
}
