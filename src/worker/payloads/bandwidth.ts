// How fast payloads travel between this worker and its coordinator. Nothing is sent to find out: inputs,
// results and states that travel anyway are measured, if they are large enough for their time to be that
// of the line rather than of the answer.

/** Below this, the way there and back takes a large part of the time. */
const leastBytes = 256 * 1024;
/** Weight of the newest transfer. */
const smoothing = 0.3;
/** One transfer counts as at most so many times faster or slower than those before it. */
const mostChange = 4;
const [leastMbps, mostMbps] = [0.01, 100_000];

export class Bandwidth {
  #mbps: number | null = null;

  /** In Mbit/s, to three digits; null before the first transfer that says something. */
  get mbps(): number | null {
    return this.#mbps === null ? null : Number(this.#mbps.toPrecision(3));
  }

  /** A payload has travelled, in either direction. */
  note(bytes: number, ms: number): void {
    if (bytes < leastBytes || !(ms > 0)) return;
    const measured = Math.min(mostMbps, Math.max(leastMbps, (bytes * 8) / 1000 / ms));
    const before = this.#mbps ?? measured;
    const bounded = Math.min(before * mostChange, Math.max(before / mostChange, measured));
    this.#mbps = before + smoothing * (bounded - before);
  }
}
