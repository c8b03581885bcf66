// Confidence intervals of a mean that keep their word with few values too. The bootstrap follows a long tail to its
// side, but never looks beyond the values that are there: of five it holds the mean in four of five cases instead of
// 19 of 20. Student's t knows how little few values tell, and takes the tails for even. On each side the farther bound counts.

import { type Bootstrap, type Interval, meanOf } from './bootstrap.ts';
import { studentQuantile } from './student.ts';

/**
 * The interval that holds the mean with the probability `level`, from 0 to 1, or more. `values` has the size of the
 * bootstrap. Null for a single value, which tells nothing of chance; of no width when all are equal.
 */
export function meanInterval(
  values: readonly number[],
  bootstrap: Bootstrap,
  level: number,
): Interval | null {
  if (values.length < 2) return null;
  const [low, high] = bootstrap.interval(values, level);
  const mean = meanOf(values);
  const off =
    (studentQuantile(1 - level, values.length - 1) * deviationOf(values)) /
    Math.sqrt(values.length);
  return low === high ? [low, high] : [Math.min(low, mean - off), Math.max(high, mean + off)];
}

/** The standard deviation of what two or more values were drawn from, by n - 1. */
export function deviationOf(values: readonly number[]): number {
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}
