// Of more lines than can be told apart: their median, and the band in which nine of ten are.

export interface Spread {
  readonly median: readonly (number | null)[];
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
}

/** Lines of one length; null where one has no value. */
export function spreadOf(lines: readonly (readonly (number | null)[])[]): Spread {
  const spread = {
    median: [] as (number | null)[],
    low: [] as (number | null)[],
    high: [] as (number | null)[],
  };
  const length = lines[0]?.length ?? 0;
  for (let place = 0; place < length; place++) {
    const values = lines
      .map((line) => line[place] ?? null)
      .filter((value) => value !== null)
      .toSorted((a, b) => a - b);
    spread.median.push(quantile(values, 0.5));
    spread.low.push(quantile(values, 0.05));
    spread.high.push(quantile(values, 0.95));
  }
  return spread;
}

function quantile(sorted: readonly number[], share: number): number | null {
  if (sorted.length === 0) return null;
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)]!;
  const above = sorted[Math.ceil(place)]!;
  return below + (above - below) * (place - Math.floor(place));
}
