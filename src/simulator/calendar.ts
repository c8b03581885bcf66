// The calendar of the first act: each kind of trouble comes at its own random moments, as often as the
// seed says, until the act ends.

import type { Clock } from './clock.ts';
import type { Prng } from './prng.ts';

export class Calendar {
  private readonly clock: Clock;
  private readonly prng: Prng;
  private readonly end: number;

  constructor(clock: Clock, prng: Prng, end: number) {
    this.clock = clock;
    this.prng = prng;
    this.end = end;
  }

  /** Calls at independent random moments with a mean rate. */
  often(perSecond: number, cause: () => void): void {
    if (perSecond === 0) return;
    const next = () => {
      const at = this.clock.now + (-Math.log(1 - this.prng.next()) / perSecond) * 1000;
      if (at >= this.end) return;
      this.clock.at(at, () => {
        cause();
        next();
      });
    };
    next();
  }
}
