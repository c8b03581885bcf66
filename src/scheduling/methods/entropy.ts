// Weights by Shannon's entropy: the more a criterion varies over the workers, the more it weighs.
// Shannon (1948); Hwang & Yoon (1981), Lecture Notes in Economics and Mathematical Systems 186.
//
//   p_ij = x_ij / sum_i x_ij      e_j = -(1 / ln n) sum_i p_ij ln p_ij, with 0 ln 0 = 0
//   d_j  = 1 - e_j                w_j = d_j / sum_j d_j
//
// 1 - e loses all digits where a column hardly varies. With z = x / mean - 1 the same is
// d_j = mean_i [(1 + z) log1p(z) - z] / ln n, and ln n cancels in w_j.

import { emptyFigures, measure } from './column.ts';
import { type Matrix, toColumns } from './matrix-input.ts';

/**
 * One weight per column, sum 1; equal weights when no column varies. Whether a column is a benefit
 * or a cost does not matter. Throws a RangeError for values below 0 or not finite.
 */
export function entropyWeights(matrix: Matrix): number[] {
  const columns = toColumns(matrix);
  const divergences = Float64Array.from(columns, (column) => divergence(column, matrix.length));
  const weights = new Float64Array(columns.length);
  shareOut(divergences, weights);
  return Array.from(weights);
}

/** w_j of the d_j: weight 0 for d_j = 0, and 1/m each when all of them are. */
export function shareOut(divergences: Float64Array, weights: Float64Array): void {
  let sum = 0;
  for (const each of divergences) sum += each;
  for (let index = 0; index < divergences.length; index++) {
    weights[index] = sum > 0 ? divergences[index]! / sum : 1 / divergences.length;
  }
}

const figures = emptyFigures();

/** d_j ln n; exactly 0 for a column that does not vary. */
export function divergence(column: Float64Array, rows: number): number {
  measure(column, rows, figures);
  const { min, max, mean, pivot, offset } = figures;
  if (rows < 2 || min === max) return 0;
  let sum = 0;
  for (let row = 0; row < rows; row++)
    sum += divergenceTerm((column[row]! - pivot - offset) / mean);
  return sum / rows;
}

/** (1 + z) log1p(z) - z for z >= -1; its series z²/2 - z³/6 + z⁴/12 - … where that would cancel. */
function divergenceTerm(z: number): number {
  if (z <= -1) return 1;
  if (z > 0.05 || z < -0.05) return (1 + z) * Math.log1p(z) - z;
  let series = 0;
  for (let k = 13; k >= 2; k--) series = 1 / (k * (k - 1)) - z * series;
  return z * z * series;
}
