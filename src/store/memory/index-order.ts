// The indices of a job's task rows in order: sorted when first asked for after a row was added.

import type { JobFolder } from './memory-disk.ts';

export function indicesInOrder(folder: JobFolder): readonly number[] {
  folder.order ??= [...folder.tasks.keys()].sort((a, b) => a - b);
  return folder.order;
}

export function* indicesFrom(folder: JobFolder, fromIndex: number): Generator<number> {
  const order = indicesInOrder(folder);
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (order[middle]! < fromIndex) low = middle + 1;
    else high = middle;
  }
  for (let i = low; i < order.length; i++) yield order[i]!;
}
