// The random numbers of an attempt: those of its task, which it goes on with where its checkpoint left off.

import { type RandomState, SeededRandom } from '../sandbox/seeded-random.ts';

const twoTo32 = 2 ** 32;

export class TaskRandom {
  readonly #taskId: string;
  #state: RandomState | null;
  #generator: SeededRandom | null = null;

  /** `state`: as a checkpoint has it; null: the task has drawn none yet. */
  constructor(taskId: string, state: RandomState | null) {
    this.#taskId = taskId;
    this.#state = state;
  }

  /** 0 inclusive to 1 exclusive. */
  next(): number {
    return this.#made().next();
  }

  fill(bytes: Uint8Array): void {
    const generator = this.#made();
    for (let at = 0; at < bytes.length; at += 4) {
      const word = Math.floor(generator.next() * twoTo32);
      for (let i = 0; i < 4 && at + i < bytes.length; i++)
        bytes[at + i] = (word >>> (8 * i)) & 0xff;
    }
  }

  /** Null: none was drawn. */
  state(): RandomState | null {
    return this.#generator?.state() ?? this.#state;
  }

  #made(): SeededRandom {
    if (this.#generator !== null) return this.#generator;
    const state = this.#state;
    this.#generator =
      state === null ? SeededRandom.fromText(this.#taskId) : new SeededRandom(state);
    this.#state = null;
    return this.#generator;
  }
}
