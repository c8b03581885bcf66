// MABAC, Multi-Attributive Border Approximation area Comparison. Pamucar & Cirovic (2015), Expert
// Systems with Applications 42(6):3016-3028, doi:10.1016/j.eswa.2014.11.057.
//
//   n_ij = (x - min) / (max - min) for a benefit, (max - x) / (max - min) for a cost
//   v_ij = w_j (n_ij + 1)
//   g_j  = (prod_i v_ij)^(1/n), the border approximation area
//   q_ij = v_ij - g_j: above 0 in the upper area G+, below in the lower area G-
//   S_i  = sum_j q_ij
//
// The product leaves the range of binary64 from a few hundred rows on. With
// g_j = w_j exp(mean_i log1p n_ij) it is q_ij = w_j (n_ij - expm1(mean_i log1p n_ij)).

import { criterionIds } from '../../core/snapshot.ts';
import { emptyFigures, measure } from './column.ts';
import { type Matrix, scoreMatrix } from './matrix-input.ts';
import type { Method, Sums } from './method.ts';

/**
 * Distance S of each row from the border, larger is better, above 0 in the upper area; 0 for all
 * when no column tells them apart. Weights are taken relative to their sum. `types`: 1 benefit,
 * -1 cost. Throws a RangeError for values below 0 or not finite.
 */
export function mabac(
  matrix: Matrix,
  weights: ArrayLike<number>,
  types: ArrayLike<number>,
): number[] {
  return scoreMatrix(mabacMethod, matrix, weights, types);
}

const figures = emptyFigures();

export const mabacMethod: Method = {
  scoreName: 'greatest distance from the border',
  isProjected: true,
  scale(column, rows, kind, scale) {
    measure(column, rows, figures);
    const { min, max } = figures;
    const range = max - min;
    scale.form = max === 0 ? 'none' : 'linear';
    scale.pivot = kind === 'benefit' ? min : max;
    // Any constant n_ij puts every row on the border. A row whose value changes later is as far from the
    // others as its value has changed, relative to the common value.
    scale.divisor = range === 0 ? max : range;
    scale.norm = kind === 'benefit' ? 1 : -1;
  },
  finish(sums) {
    const { rows, scores } = sums;
    for (let row = 0; row < rows; row++) scores[row] = distance(sums, row);
  },
  score: distance,
  // Left out of the scores that are compared: it is the same for all rows, and costs a logarithm per value.
  border(column, rows, { form, pivot, divisor, norm }) {
    if (form === 'none' || rows === 0) return 0;
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += Math.log1p((column[row]! - pivot) / divisor / norm);
    return Math.expm1(sum / rows);
  },
  details: (sums, row, contributionOf) => {
    const details: Record<string, number | string> = {
      area: areaOf(distance(sums, row) - sums.border),
    };
    for (const id of criterionIds) {
      const apart = contributionOf(id);
      details[`${id}_distance`] = apart;
      details[`${id}_area`] = areaOf(apart);
    }
    return details;
  },
};

/** S_i plus the sum of the borders, which is the same for all rows. */
function distance({ up, down }: Sums, row: number): number {
  return up[row]! - down[row]!;
}

/** `upper`: G+, towards the ideal; `lower`: G-; `border` within 1e-12 of it. */
export function areaOf(apart: number): 'upper' | 'border' | 'lower' {
  if (Math.abs(apart) <= 1e-12) return 'border';
  return apart > 0 ? 'upper' : 'lower';
}
