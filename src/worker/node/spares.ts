// How many warm children are kept beside those that serve the slots: none while nothing happens, one
// while attempts come, more when they are taken faster than they start. Nothing here reads a clock.
//
// While one child starts, `rate · start` others are taken (Little); one more is ready when that many
// are on their way.

/** Takes of so long ago still count for the rate. */
const windowMs = 2_000;
/** Without a new attempt for so long, nothing happens. One that runs needs no spare. */
const restAfterMs = 30_000;
/** Until the first one was measured. */
const assumedStartMs = 300;
/** Weight of the newest measurement. */
const smoothing = 0.2;

export class Spares {
  readonly #most: number;
  #startMs = assumedStartMs;
  #workedAt = -Infinity;
  #takenAt: number[] = [];

  /** Never more than `most`: each holds memory, and starts beyond the cores only wait for each other. */
  constructor(most: number) {
    this.#most = most;
  }

  /** An attempt came. */
  worked(nowMs: number): void {
    this.#workedAt = nowMs;
  }

  /** A slot took a child. */
  taken(nowMs: number): void {
    this.#takenAt = this.#takenAt.filter((at) => nowMs - at < windowMs);
    this.#takenAt.push(nowMs);
  }

  /** A child has become ready so long after its start. */
  started(tookMs: number): void {
    this.#startMs += smoothing * (tookMs - this.#startMs);
  }

  wanted(nowMs: number): number {
    if (nowMs - this.#workedAt >= restAfterMs) return 0;
    const taken = this.#takenAt.filter((at) => nowMs - at < windowMs).length;
    const rate = taken / windowMs;
    return Math.min(this.#most, 1 + Math.floor(rate * this.#startMs));
  }
}
