// The moment that is pointed at: one for all charts of a page.

import { signal } from '@preact/signals';

export const cursorMs = signal<number | null>(null);

/** The bucket in which a moment lies, or null: of none. */
export function bucketAt(
  times: readonly number[],
  bucketMs: number,
  atMs: number | null,
): number | null {
  if (atMs === null) return null;
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= atMs) low = middle + 1;
    else high = middle;
  }
  const place = low - 1;
  return place >= 0 && atMs < times[place]! + bucketMs ? place : null;
}
