// Two samples that were measured with the same seeds, compared seed by seed.

import { type Bootstrap, type Interval, meanOf } from './bootstrap.ts';
import { deviationOf, meanInterval } from './mean-interval.ts';

export interface Paired {
  /** Mean of the differences. */
  readonly difference: number;
  /** Null for a single pair, which tells nothing of chance. */
  readonly interval: Interval | null;
  /** Mean / standard deviation of the differences (Cohen's d for pairs); null when they vary by rounding alone. */
  readonly effect_size: number | null;
  /** The interval does not hold 0. */
  readonly is_different: boolean;
}

/** Doubles that should be equal may differ by this share of what they were made from. */
const rounding = 1e-12;

/** Of `values` minus `others`, place by place. */
export function pairedDifference(
  values: readonly number[],
  others: readonly number[],
  bootstrap: Bootstrap,
  level: number,
): Paired {
  const differences = values.map((value, place) => value - others[place]!);
  const interval = meanInterval(differences, bootstrap, level);
  const difference = meanOf(differences);
  const deviation = deviationOf(differences);
  const scale = Math.max(...values.map(Math.abs), ...others.map(Math.abs));
  return {
    difference,
    interval,
    effect_size: deviation > rounding * scale ? difference / deviation : null,
    is_different: interval !== null && (interval[0] > 0 || interval[1] < 0),
  };
}

/** Share of places in which the value is less, ties by half. */
export function shareLess(values: readonly number[], others: readonly number[]): number {
  let wins = 0;
  values.forEach((value, place) => {
    const other = others[place]!;
    wins += value < other ? 1 : value === other ? 0.5 : 0;
  });
  return wins / values.length;
}

/** By place: 1 is the least, equal ones share the mean of their ranks. */
export function ranksOf(values: readonly number[]): readonly number[] {
  return values.map((value) => {
    const less = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return less + (equal + 1) / 2;
  });
}
