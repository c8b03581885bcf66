// Rates of buckets, of which the last one may not be over.

import type { ThroughputHistory } from '../../../../protocol/evaluation.ts';

/** Of a shorter part of a bucket a rate says nothing. */
const leastPart = 0.05;

/** Completed per second of what is counted of each bucket. */
export function bucketRates({
  bucket_seconds: seconds,
  points,
  countedUntilMs: untilMs,
}: ThroughputHistory & { readonly countedUntilMs: number }): readonly (number | null)[] {
  return points.map(({ at, tasks_completed: completed }) => {
    const passed = Math.min(seconds, (untilMs - Date.parse(at)) / 1000);
    return passed < seconds * leastPart ? null : completed / passed;
  });
}
