// How long the tasks of one job take on this worker, and how many of them a slot may therefore
// hold.

import type { MachineTuning } from './port.ts';

/** Weight of the newest measurement in the mean. */
const smoothing = 0.2;

export class Pace {
  /** Smoothed run time, null before the first outcome. */
  meanMs: number | null = null;
  /**
   * Attempts of this job that a slot may hold: 1 at first, doubled by every outcome as far as the
   * mean allows. Invariant: at least 1.
   */
  limit = 1;

  measure(runMs: number, tuning: MachineTuning): void {
    const measured = Number.isFinite(runMs) && runMs > 0 ? runMs : 0;
    const mean = this.meanMs;
    this.meanMs = mean === null ? measured : mean + smoothing * (measured - mean);
    const affordable = Math.floor(tuning.handedWorkMs / this.meanMs);
    this.limit = Math.max(1, Math.min(this.limit * 2, affordable, tuning.handedMax));
  }
}
