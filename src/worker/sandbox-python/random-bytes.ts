// The random bytes of a task, of which `os.urandom`, `uuid` and `secrets` are made: they depend on the task alone,
// like its random numbers. They are not for keys.

import { type RandomState, SeededRandom } from '../sandbox/seeded-random.ts';

export class RandomBytes {
  #random = SeededRandom.fromText('');
  #isUsed = false;

  /** The bytes of another task. */
  restart(seed: string): void {
    this.#random = SeededRandom.fromText(`${seed} bytes`);
    this.#isUsed = false;
  }

  drawInto(bytes: Uint8Array): void {
    this.#isUsed = true;
    for (let i = 0; i < bytes.length; i++) bytes[i] = Math.floor(this.#random.next() * 256);
  }

  /** For a checkpoint; null when none were taken. */
  state(): string | null {
    return this.#isUsed ? JSON.stringify(this.#random.state()) : null;
  }

  /** What is no state changes nothing. */
  resume(stateJson: string): void {
    const state = parsed(stateJson);
    if (!Array.isArray(state) || state.length !== 4 || !state.every(Number.isInteger)) return;
    this.#random = new SeededRandom(state as unknown as RandomState);
    this.#isUsed = true;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
