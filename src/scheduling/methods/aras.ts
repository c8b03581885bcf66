// ARAS, Additive Ratio Assessment. Zavadskas & Turskis (2010), Technological and Economic
// Development of Economy 16(2):159-172, doi:10.3846/tede.2010.10.
//
//   x_0j    = best observed value of column j, the hypothetical optimal worker
//   x*_ij   = x_ij for a benefit, 1 / x_ij for a cost, row 0 too
//   xbar_ij = x*_ij / sum_{i=0..n} x*_ij
//   S_i     = sum_j w_j xbar_ij          K_i = S_i / S_0, in [0, 1]

import { scaleByBest, sumOfForms } from './column-scale.ts';
import { type Matrix, scoreMatrix } from './matrix-input.ts';
import type { Method, Sums } from './method.ts';

/**
 * Utility degree K of each row against the best observed values, from 0 to 1, larger is better;
 * 1 for all when no column tells them apart. `types`: 1 benefit, -1 cost. Throws a RangeError for
 * values below 0 or not finite.
 */
export function aras(
  matrix: Matrix,
  weights: ArrayLike<number>,
  types: ArrayLike<number>,
): number[] {
  return scoreMatrix(arasMethod, matrix, weights, types);
}

export const arasMethod: Method = {
  scoreName: 'highest utility degree',
  isProjected: true,
  scale(column, rows, kind, scale) {
    scaleByBest(column, rows, kind, scale);
    // 1 is the share of the optimal row.
    if (scale.form !== 'none') scale.norm = 1 + sumOfForms(column, rows, scale);
  },
  finish(sums) {
    const { rows, scores } = sums;
    for (let row = 0; row < rows; row++) scores[row] = utility(sums, row);
  },
  score: utility,
  details: (sums, row) => ({ s: sums.up[row]!, k: utility(sums, row) }),
};

/** K_i */
function utility({ up, optimal }: Sums, row: number): number {
  return optimal === 0 ? 1 : up[row]! / optimal;
}
