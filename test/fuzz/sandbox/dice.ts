// The chance of the fuzzer. Everything that a program consists of follows from a seed and the number
// of the program, so that any of them can be made again alone.

import { SeededRandom } from '../../../src/worker/sandbox/seeded-random.ts';

export type Weighted<T> = readonly (readonly [weight: number, value: T])[];

export class Dice {
  readonly #random: SeededRandom;

  constructor(seed: number, program: number) {
    this.#random = SeededRandom.fromText(`${seed}/${program}`);
  }

  /** 0 inclusive to `limit` exclusive. */
  below(limit: number): number {
    return Math.floor(this.#random.next() * limit);
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  weigh<T>(items: Weighted<T>): T {
    let left = this.#random.next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of items) {
      left -= weight;
      if (left < 0) return value;
    }
    return items[items.length - 1]![1];
  }
}
