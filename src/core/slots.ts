// Numbers for what runs on a worker at the same time, so that a picture of it has a row for each.

import type { WorkerRecord } from './records.ts';

/** As many as fit into one word; hardly any worker has more slots. */
const numbersInWord = 31;

/** The smallest number that nothing on the worker has. */
export function freeSlot({ attempts }: Pick<WorkerRecord, 'attempts'>): number {
  let first = 0;
  let others: Set<number> | undefined;
  for (const { slot } of attempts) {
    if (slot === null) continue;
    if (slot < numbersInWord) first |= 1 << slot;
    else (others ??= new Set()).add(slot);
  }
  let free = 0;
  while (free < numbersInWord && (first & (1 << free)) !== 0) free++;
  while (others?.has(free) === true) free++;
  return free;
}
