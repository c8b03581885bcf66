// Many durations in little room: counted in bins whose bounds grow by the same factor, as in HdrHistogram. The sum is
// exact, quantiles are within 1 %.

/** Can be sent to a thread. */
export interface HistogramData {
  readonly count: number;
  readonly sum: number;
  /** By number of the bin: bin i has values from growth^i to below growth^(i + 1). */
  readonly bins: ReadonlyMap<number, number>;
}

const growth = 1.02;
const logGrowth = Math.log(growth);
/** What is less, 0 too, counts as this. */
const least = 1e-6;

export class LogHistogram implements HistogramData {
  count = 0;
  sum = 0;
  readonly bins = new Map<number, number>();

  /** `value`: at least 0. */
  add(value: number): void {
    const bin = Math.floor(Math.log(Math.max(least, value)) / logGrowth);
    this.bins.set(bin, (this.bins.get(bin) ?? 0) + 1);
    this.count++;
    this.sum += value;
  }

  addAll({ count, sum, bins }: HistogramData): void {
    for (const [bin, more] of bins) this.bins.set(bin, (this.bins.get(bin) ?? 0) + more);
    this.count += count;
    this.sum += sum;
  }
}

export function meanIn({ count, sum }: HistogramData): number {
  return sum / count;
}

/** The least value that a share `p` does not exceed, by the middle of its bin. Of an empty histogram: NaN. */
export function quantileIn({ count, bins }: HistogramData, p: number): number {
  const wanted = Math.max(1, Math.ceil(p * count));
  let counted = 0;
  for (const [bin, more] of [...bins].sort(([a], [b]) => a - b)) {
    counted += more;
    if (counted >= wanted) return growth ** (bin + 0.5);
  }
  return Number.NaN;
}
