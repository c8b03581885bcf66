// Tasks per second over time, in buckets that begin at whole multiples of their length.

/** What ended in the bucket that begins at `at` (ms). */
export interface BucketCounts {
  readonly at: number;
  readonly completed: number;
  readonly failed: number;
}

export interface HistoryPlan {
  readonly bucketSeconds: number;
  /** Where the first bucket begins, in ms. */
  readonly from: number;
  /** Where the current bucket ends. */
  readonly to: number;
}

export interface ThroughputPoint {
  readonly at: number;
  readonly tasksCompleted: number;
  readonly tasksFailed: number;
  /** Completed tasks / length of the bucket; the current one is not over yet. */
  readonly throughput: number;
}

const maxPoints = 2_000;
const defaultBucketSeconds = 10;
const defaultSeconds = 3_600;
const daySeconds = 86_400;
const roundSeconds = [
  1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200,
];

/**
 * From the bucket of `since` to the current one, or the last one that begins before `until`. Buckets are as long as asked for (10 seconds by
 * default; rounded up to whole ones), or the next round length with which there are no more than
 * 2 000. Without `since`: the last hour of that, or the newest 2 000 buckets of it.
 */
export function planHistory(asked: {
  readonly now: number;
  readonly since?: number;
  /** Excluded. */
  readonly until?: number;
  readonly bucketSeconds?: number;
}): HistoryPlan {
  const { since, until } = asked;
  const now = until === undefined ? asked.now : Math.max(0, Math.min(asked.now, until - 1));
  const bucketSeconds = Math.max(1, Math.ceil(asked.bucketSeconds ?? defaultBucketSeconds));
  if (since === undefined) {
    const count = Math.min(maxPoints, Math.ceil(defaultSeconds / bucketSeconds));
    const { to } = planFrom(now, now, bucketSeconds);
    return { bucketSeconds, from: to - count * bucketSeconds * 1000, to };
  }
  const from = Math.min(now, Math.max(0, since));
  const plan = planFrom(from, now, bucketSeconds);
  if (pointCount(plan) <= maxPoints) return plan;
  // One bucket less: both ends may be rounded away from each other.
  const needed = Math.max(bucketSeconds, (now - from) / 1000 / (maxPoints - 1));
  return planFrom(from, now, roundUp(needed));
}

/** Every bucket of the plan; those without counts are 0. */
export function fillHistory(
  { bucketSeconds, from, to }: HistoryPlan,
  counts: readonly BucketCounts[],
): readonly ThroughputPoint[] {
  const byTime = new Map(counts.map((bucket) => [bucket.at, bucket]));
  const points: ThroughputPoint[] = [];
  for (let at = from; at < to; at += bucketSeconds * 1000) {
    const { completed, failed } = byTime.get(at) ?? { completed: 0, failed: 0 };
    points.push({
      at,
      tasksCompleted: completed,
      tasksFailed: failed,
      throughput: completed / bucketSeconds,
    });
  }
  return points;
}

function planFrom(first: number, last: number, bucketSeconds: number): HistoryPlan {
  const bucketMs = bucketSeconds * 1000;
  return {
    bucketSeconds,
    from: Math.floor(first / bucketMs) * bucketMs,
    to: (Math.floor(last / bucketMs) + 1) * bucketMs,
  };
}

function pointCount({ bucketSeconds, from, to }: HistoryPlan): number {
  return (to - from) / (bucketSeconds * 1000);
}

function roundUp(seconds: number): number {
  const round = roundSeconds.find((length) => length >= seconds);
  return round ?? Math.ceil(seconds / daySeconds) * daySeconds;
}
