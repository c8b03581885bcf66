// The clock of one device. It is wrong by a constant, and timers of the device do not fire while it
// sleeps: all that fall due meanwhile fire in order when it wakes.

import type { Clock } from '../clock.ts';

export class DeviceClock {
  private readonly clock: Clock;
  private readonly skewMs: number;
  private isAsleep = false;
  private waiting: (() => void)[] = [];

  constructor(clock: Clock, skewMs: number) {
    this.clock = clock;
    this.skewMs = skewMs;
  }

  get now(): number {
    return this.clock.now + this.skewMs;
  }

  after(delayMs: number, fn: () => void): () => void {
    let isCancelled = false;
    const cancel = this.clock.after(delayMs, () => {
      this.whenAwake(() => {
        if (!isCancelled) fn();
      });
    });
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  /** Now, or as soon as the device is awake. */
  whenAwake(fn: () => void): void {
    if (this.isAsleep) this.waiting.push(fn);
    else fn();
  }

  sleep(): void {
    this.isAsleep = true;
  }

  wake(): void {
    this.isAsleep = false;
    // A timer may put the device to sleep again: then the others wait on.
    while (!this.isAsleep) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      next();
    }
  }
}
