// What of an attempt runs in slices, between which the event loop turns: a generator, or a guest.

import type { Ending } from './ending.ts';

export interface Steps {
  /** Works until its end, or until about `sliceEnd`: then null. May throw what task code throws. */
  step(sliceEnd: number): Ending | null;
}
