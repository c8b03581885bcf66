// A standstill of the coordinator's process, by SIGSTOP or a suspended machine, while time goes on.
// When the process continues, timers that fell due run at once and in order; messages that came
// over the network are read a moment later.

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

  /** Returns for how long the process reads no messages. */
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

  /** Runs a timer of the process. */
  run(fn: () => void): void {
    if (this.clock.now >= this.runsAt) fn();
    else this.clock.at(this.runsAt, fn);
  }

  /** Lets the process read a message from outside. */
  read(fn: () => void): void {
    if (this.clock.now >= this.readsAt) fn();
    else this.clock.at(this.readsAt, fn);
  }
}
