// How time goes on: one thing happens after the other, and what the coordinator has ready runs in between. Only
// what touches the coordinator is followed by such a turn.

import type { Clock } from '../../simulator/clock.ts';

const stepsPerMoment = 1_000_000;

export class Turns {
  readonly #clock: Clock;
  #isDue = false;
  #momentSteps = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something was handed to the coordinator, or it has something to go on with. */
  touch(): void {
    this.#isDue = true;
  }

  /** Until `isDone`, or nothing is left to happen before `until`. */
  async run(until: number, isDone: () => boolean): Promise<void> {
    const clock = this.#clock;
    await this.#settle();
    let { now } = clock;
    while (!isDone() && clock.step(until)) {
      if (this.#isDue) await this.#settle();
      if (clock.now !== now) {
        ({ now } = clock);
        this.#momentSteps = 0;
      } else if (++this.#momentSteps > stepsPerMoment) {
        throw new Error(`Virtual time stands still at ${now} ms.`);
      }
    }
  }

  /** Everything that waits for nothing but its turn has had it. */
  #settle(): Promise<void> {
    this.#isDue = false;
    return new Promise((resolve) => setImmediate(resolve));
  }
}
