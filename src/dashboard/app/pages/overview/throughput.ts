// What was completed and failed over time: the history as it was read once, and the counters of each second since.

import type { ThroughputHistory } from '../../../../protocol/resources.ts';
import type { Counters } from '../../store/counters.ts';

export interface ThroughputBucket {
  readonly beginMs: number;
  readonly completed: number;
  readonly failed: number;
}

export interface Throughput {
  readonly bucketMs: number;
  /** Oldest first. */
  readonly buckets: readonly ThroughputBucket[];
}

export function fromHistory({ bucket_seconds: seconds, points }: ThroughputHistory): Throughput {
  return {
    bucketMs: seconds * 1000,
    buckets: points.map(({ at, tasks_completed: completed, tasks_failed: failed }) => ({
      beginMs: Date.parse(at),
      completed,
      failed,
    })),
  };
}

/** What ended since the counters before goes into the bucket of its middle; what was passed over had nothing. */
export function withCounters(before: Throughput, told: Counters, mostBuckets = 2_000): Throughput {
  const { bucketMs } = before;
  const middle = Date.parse(told.at) - (told.interval_seconds * 1000) / 2;
  const beginMs = Math.floor(middle / bucketMs) * bucketMs;
  const buckets = [...before.buckets];
  const last = buckets.at(-1);
  if (last !== undefined && beginMs <= last.beginMs) {
    buckets[buckets.length - 1] = {
      beginMs: last.beginMs,
      completed: last.completed + told.completed_since,
      failed: last.failed + told.failed_since,
    };
    return { bucketMs, buckets };
  }
  const next = last === undefined ? beginMs : last.beginMs + bucketMs;
  for (let begin = Math.max(next, beginMs - mostBuckets * bucketMs); begin < beginMs; ) {
    buckets.push({ beginMs: begin, completed: 0, failed: 0 });
    begin += bucketMs;
  }
  buckets.push({ beginMs, completed: told.completed_since, failed: told.failed_since });
  return { bucketMs, buckets: buckets.slice(-mostBuckets) };
}

/** The rate of each bucket: of the present one over what has passed of it, since it is not over. */
export function ratesOf(
  { buckets, bucketMs }: Throughput,
  nowMs: number,
): readonly (number | null)[] {
  return buckets.map(({ beginMs, completed }) => {
    const passedMs = Math.min(bucketMs, nowMs - beginMs);
    return passedMs < 1_000 ? null : (completed * 1000) / passedMs;
  });
}

export interface Ended {
  readonly completed: number;
  readonly failed: number;
}

/** Of the buckets that begin within so long before now. */
export function endedWithin({ buckets }: Throughput, nowMs: number, lengthMs: number): Ended {
  let completed = 0;
  let failed = 0;
  for (const bucket of buckets) {
    if (bucket.beginMs < nowMs - lengthMs) continue;
    completed += bucket.completed;
    failed += bucket.failed;
  }
  return { completed, failed };
}

/** Completed per second over the last minute: whole buckets and what has passed of the present one. */
export function rateOfLastMinute({ buckets, bucketMs }: Throughput, nowMs: number): number | null {
  const from = Math.ceil((nowMs - 60_000) / bucketMs) * bucketMs;
  const first = buckets.find(({ beginMs }) => beginMs >= from);
  if (first === undefined) return null;
  const { completed } = endedWithin({ buckets, bucketMs }, from, 0);
  return (completed * 1000) / Math.max(bucketMs, nowMs - first.beginMs);
}
