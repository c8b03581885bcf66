// A standstill of the coordinator's process, by SIGSTOP or a suspended machine, while time goes on.
// When the process continues, timers that fell due run in order and messages that came over the network
// are read, the one a moment after the other.

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

  /** Returns for how long the process reads no messages. What is not first comes `laterMs` later. */
  begin(ms: number, first: 'timers' | 'messages', laterMs: number): number {
    const until = this.clock.now + ms;
    this.lengthMs = ms;
    this.runsAt = first === 'timers' ? until : until + laterMs;
    this.readsAt = first === 'messages' ? until : until + laterMs;
    return this.readsAt - this.clock.now;
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
