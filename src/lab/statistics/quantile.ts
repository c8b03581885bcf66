// Quantiles of a sample by linear interpolation between order statistics (type 7 of Hyndman and Fan, Sample
// Quantiles in Statistical Packages, The American Statistician 50(4):361-365, 1996).

/** `sorted` is in ascending order and not empty; `p` is from 0 to 1. */
export function quantileOfSorted(sorted: Readonly<ArrayLike<number>>, p: number): number {
  const place = (sorted.length - 1) * p;
  const below = Math.floor(place);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (place - below);
}
