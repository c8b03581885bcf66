// Confidence intervals of a mean by the bootstrap, corrected for bias and skewness (BCa): Efron and Tibshirani, An
// Introduction to the Bootstrap, chapter 14, 1993. The resamples are drawn once and used for everything that was
// measured with the same seeds, so intervals of differences are paired by themselves. Too narrow for few values: see
// `mean-interval.ts`.

import { normalQuantile } from '../chance/normal.ts';
import type { Stream } from '../chance/stream.ts';
import { normalCdf } from '../chance/normal-cdf.ts';
import { quantileOfSorted } from './quantile.ts';

/** Enough for the third digit of the bounds of a 95 % interval. */
export const resamples = 10_000;

export type Interval = readonly [number, number];

export class Bootstrap {
  readonly #size: number;
  /** Places of a sample of `size`, `resamples` times. */
  readonly #places: Uint32Array;

  constructor(size: number, stream: Stream) {
    this.#size = size;
    this.#places = Uint32Array.from({ length: size * resamples }, () =>
      Math.floor(stream.next() * size),
    );
  }

  /**
   * The interval that holds the mean with the probability `level`, from 0 to 1. `values` has the size of the
   * bootstrap. All equal, or a single one: the interval is that value.
   */
  interval(values: readonly number[], level: number): Interval {
    const mean = meanOf(values);
    if (values.every((value) => value === values[0])) return [values[0]!, values[0]!];
    const means = this.#means(values).sort();
    const bias = normalQuantile(bounded(shareBelow(means, mean)));
    const skew = acceleration(values, mean);
    const bound = (p: number) => {
      const z = bias + normalQuantile(p);
      const corrected = normalCdf(bias + z / Math.max(1e-9, 1 - skew * z));
      return quantileOfSorted(means, bounded(corrected));
    };
    return [bound((1 - level) / 2), bound((1 + level) / 2)];
  }

  #means(values: readonly number[]): Float64Array {
    const size = this.#size;
    const means = new Float64Array(resamples);
    for (let i = 0; i < resamples; i++) {
      let sum = 0;
      for (let k = i * size; k < (i + 1) * size; k++) sum += values[this.#places[k]!]!;
      means[i] = sum / size;
    }
    return means;
  }
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Ties count by half. */
function shareBelow(sorted: Float64Array, value: number): number {
  let [below, equal] = [0, 0];
  for (const each of sorted) {
    if (each < value) below++;
    else if (each === value) equal++;
    else break;
  }
  return (below + equal / 2) / sorted.length;
}

/** From the jackknife: the skewness of the mean, over six. */
function acceleration(values: readonly number[], mean: number): number {
  let [squares, cubes] = [0, 0];
  for (const value of values) {
    // What the mean without it is above the mean of all such means, times n - 1.
    const off = value - mean;
    squares += off ** 2;
    cubes += off ** 3;
  }
  return cubes / (6 * squares ** 1.5);
}

/** Away from 0 and 1 by half a resample. */
function bounded(p: number): number {
  const least = 0.5 / resamples;
  return Math.min(1 - least, Math.max(least, p));
}
