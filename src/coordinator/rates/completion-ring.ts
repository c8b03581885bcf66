// How many tasks of one job completed in each of the last few pieces of time: of a fixed size, however many.

export const bucketMs = 5_000;
/** Five minutes, and the bucket that is not over. */
export const bucketCount = 61;

export class CompletionRing {
  /** What was before says nothing of the job as it goes now: it was held, or retried. */
  beganAt = -Infinity;
  private readonly counts = new Uint32Array(bucketCount);
  private newest: number;

  /** Buckets are numbered from the beginning of the clock that the caller keeps. */
  constructor(bucket: number) {
    this.newest = bucket;
  }

  add(bucket: number): void {
    if (bucket > this.newest) this.moveTo(bucket);
    const place = this.newest % bucketCount;
    this.counts[place] = this.counts[place]! + 1;
  }

  /** Both ends included; what is too old to be kept is nothing. */
  sum(from: number, to: number): number {
    const last = Math.min(to, this.newest);
    let sum = 0;
    for (let bucket = Math.max(from, this.newest - bucketCount + 1, 0); bucket <= last; bucket++) {
      sum += this.counts[bucket % bucketCount]!;
    }
    return sum;
  }

  private moveTo(bucket: number): void {
    const first = Math.max(this.newest + 1, bucket - bucketCount + 1);
    for (let each = first; each <= bucket; each++) this.counts[each % bucketCount] = 0;
    this.newest = bucket;
  }
}
