// Counts in bins of equal width on a logarithmic scale, and what can be read from them. Inside a
// bin the counts are taken as evenly spread over the logarithm: with bins of 1/50 a percentile is
// then right to about four digits.

import type { SparseCounts } from './program.ts';

/** `counts[i]` fell into bin `first + i`; bin k covers k · width ≤ ln(factor) < (k + 1) · width. */
export type Histogram = {
  readonly width: number;
  readonly first: number;
  readonly counts: readonly number[];
  readonly total: number;
};

/** Whole numbers only are added, so the order of the parts does not matter. */
export function mergeHistograms(width: number, parts: readonly SparseCounts[]): Histogram {
  const first = parts.reduce((low, part) => Math.min(low, part.first), Number.POSITIVE_INFINITY);
  const end = parts.reduce((high, part) => Math.max(high, part.first + part.counts.length), first);
  const counts = Array.from({ length: end - first }, () => 0);
  let total = 0;
  for (const part of parts) {
    for (const [index, count] of part.counts.entries()) {
      counts[part.first - first + index]! += count;
      total += count;
    }
  }
  return { width, first, counts, total };
}

/** The logarithm below which the given share (0..1) of the counts lies. */
export function quantile(histogram: Histogram, share: number): number {
  const wanted = share * histogram.total;
  let below = 0;
  for (const { from, to, count } of bins(histogram)) {
    if (count > 0 && below + count >= wanted)
      return from + (to - from) * ((wanted - below) / count);
    below += count;
  }
  return (histogram.first + histogram.counts.length) * histogram.width;
}

/** The share (0..1) of the counts whose logarithm is below `limit`; exact at the edge of a bin. */
export function shareBelow(histogram: Histogram, limit: number): number {
  let below = 0;
  for (const { from, to, count } of bins(histogram)) {
    below += count * Math.min(1, Math.max(0, (limit - from) / (to - from)));
  }
  return below / histogram.total;
}

/** The mean factor e^x of the lowest share (0..1] of the counts. */
export function meanOfLowest(histogram: Histogram, share: number): number {
  const wanted = share * histogram.total;
  let taken = 0;
  let sum = 0;
  for (const { from, to, count } of bins(histogram)) {
    const take = Math.min(count, wanted - taken);
    if (take <= 0) continue;
    // The mean of e^x over [from, reached], x evenly spread: (e^reached - e^from) / (reached - from).
    const reached = from + (to - from) * (take / count);
    sum += take * (Math.exp(from) * (Math.expm1(reached - from) / (reached - from)));
    taken += take;
  }
  return sum / taken;
}

export function* bins({ width, first, counts }: Histogram) {
  for (const [index, count] of counts.entries()) {
    // Not from + width: 0 must be the edge of a bin exactly.
    yield { from: (first + index) * width, to: (first + index + 1) * width, count };
  }
}
