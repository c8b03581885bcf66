// The numbers that the coordinator tells each second, by the words of the store, and who adds them up.

import type { Counters } from '../../../protocol/counters.ts';

export type { Counters, OpenJob as OpenJobCounters } from '../../../protocol/counters.ts';

type CountersListener = (told: Counters) => void;

const listeners = new Set<CountersListener>();

/** Every one, also while nothing is shown: for what adds up. Returns what ends it. */
export function listenToCounters(listener: CountersListener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function tellCounters(told: Counters): void {
  for (const listener of listeners) listener(told);
}
