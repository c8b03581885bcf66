// Turns of the event loop for what may take long.

import { setImmediate as nextTurn } from 'node:timers/promises';

const maxMsPerTurn = 10;

export class Turns {
  #beganAt = performance.now();

  /** Lets others have a turn when this one has taken long. */
  async rest(): Promise<void> {
    if (performance.now() - this.#beganAt <= maxMsPerTurn) return;
    await nextTurn();
    this.#beganAt = performance.now();
  }
}
