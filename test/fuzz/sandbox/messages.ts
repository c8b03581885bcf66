// The messages between the fuzzer and its child.

import type { Vocabulary } from './grammar/vocabulary.ts';
import type { Order } from './program-tree.ts';

export type ToInside =
  /** A module as `moduleText` makes it; what the agent asks of each of its programs. */
  readonly ['batch', string, readonly Order[]];

/** Beside them come the messages of the production child, which nobody listens to. */
export type FromInside =
  | readonly ['ready', Vocabulary]
  /** Sentences about what is wrong after a batch; why the module was refused, or null. */
  | readonly ['checked', readonly string[], string | null];

/** Begins the last words of a child that ended itself, as the production child does, and may. */
export const givenUp = 'given up';

export type JobName = 'a' | 'b';

const runsInARow = 16;

/**
 * The order in which two jobs run the programs of a batch: some of the one, the same of the other, so
 * that what one leaves behind meets the other in the middle of its work.
 */
export function turnOrder(count: number): (readonly [JobName, number])[] {
  const order: (readonly [JobName, number])[] = [];
  for (let first = 0; first < count; first += runsInARow) {
    for (const job of ['a', 'b'] as const) {
      for (let i = first; i < Math.min(count, first + runsInARow); i++) order.push([job, i]);
    }
  }
  return order;
}
