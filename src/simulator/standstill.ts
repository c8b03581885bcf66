// The process of the coordinator stands still for a while: SIGSTOP, a suspended machine. Time goes on.
// When it continues, timers that fell due run at once and in order; what came over the network is read
// a moment later.

import type { Clock } from './clock.ts';

export class Standstill {
  lengthMs = 0;
  private readonly clock: Clock;
  private runsAt = -Infinity;
  private readsAt = -Infinity;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get isOn(): boolean {
    return this.clock.now < this.readsAt;
  }

  /** Returns how long it does not listen. */
  begin(ms: number, readingMs: number): number {
    this.lengthMs = ms;
    this.runsAt = this.clock.now + ms;
    this.readsAt = this.runsAt + readingMs;
    return ms + readingMs;
  }

  end(): void {
    this.runsAt = -Infinity;
    this.readsAt = -Infinity;
  }

  /** Something of the process itself. */
  run(fn: () => void): void {
    if (this.clock.now >= this.runsAt) fn();
    else this.clock.at(this.runsAt, fn);
  }

  /** Something that comes from outside. */
  read(fn: () => void): void {
    if (this.clock.now >= this.readsAt) fn();
    else this.clock.at(this.readsAt, fn);
  }
}
