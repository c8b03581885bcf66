// What a device costs, by the declared model: watts while it is there, and more for each busy slot.

import type { Clock } from '../../simulator/clock.ts';
import type { PowerModel } from '../scenario/plan.ts';

export class Meter {
  readonly #clock: Clock;
  readonly #model: PowerModel;
  #isHere = false;
  #busy = 0;
  #joules = 0;
  #busySeconds = 0;
  #hereSeconds = 0;
  #knownAt: number;

  constructor(clock: Clock, model: PowerModel) {
    this.#clock = clock;
    this.#model = model;
    this.#knownAt = clock.now;
  }

  set(isHere: boolean, busySlots: number): void {
    this.#count();
    this.#isHere = isHere;
    this.#busy = busySlots;
  }

  /** What was before does not count. */
  restart(): void {
    this.#count();
    this.#joules = 0;
    this.#busySeconds = 0;
    this.#hereSeconds = 0;
  }

  read(): { readonly joules: number; readonly busySeconds: number; readonly hereSeconds: number } {
    this.#count();
    return {
      joules: this.#joules,
      busySeconds: this.#busySeconds,
      hereSeconds: this.#hereSeconds,
    };
  }

  #count(): void {
    const seconds = (this.#clock.now - this.#knownAt) / 1000;
    this.#knownAt = this.#clock.now;
    if (!this.#isHere) return;
    this.#hereSeconds += seconds;
    this.#busySeconds += seconds * this.#busy;
    this.#joules += seconds * (this.#model.idleWatts + this.#model.busyWatts * this.#busy);
  }
}
