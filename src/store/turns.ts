// Gives others turns of the event loop during work that may take long.

import { setImmediate as nextTurn } from 'node:timers/promises';

const maxMsPerTurn = 10;

export class Turns {
  #beganAt = performance.now();

  /** Gives others a turn when the present one has taken long. */
  async rest(): Promise<void> {
    if (performance.now() - this.#beganAt <= maxMsPerTurn) return;
    await nextTurn();
    this.#beganAt = performance.now();
  }
}
