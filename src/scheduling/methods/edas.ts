// EDAS, Evaluation based on Distance from Average Solution. Keshavarz Ghorabaee, Zavadskas, Olfat,
// Turskis (2015), Informatica 26(3):435-451, doi:10.15388/Informatica.2015.57.
//
//   AV_j   = mean_i x_ij
//   PDA_ij = max(0,  t_j (x_ij - AV_j)) / AV_j      NDA_ij = max(0, -t_j (x_ij - AV_j)) / AV_j
//   SP_i   = sum_j w_j PDA_ij                       SN_i   = sum_j w_j NDA_ij
//   NSP_i  = SP_i / max SP                          NSN_i  = 1 - SN_i / max SN
//   AS_i   = (NSP_i + NSN_i) / 2, in [0, 1]

import { emptyFigures, measure } from './column.ts';
import { type Matrix, scoreMatrix } from './matrix-input.ts';
import type { Method, Sums } from './method.ts';

/**
 * Appraisal score of each row, from 0 to 1, larger is better; 0.5 for all when no column tells
 * them apart. `types`: 1 benefit, -1 cost. Throws a RangeError for values below 0 or not finite.
 */
export function edas(
  matrix: Matrix,
  weights: ArrayLike<number>,
  types: ArrayLike<number>,
): number[] {
  return scoreMatrix(edasMethod, matrix, weights, types);
}

const figures = emptyFigures();

export const edasMethod: Method = {
  scoreName: 'highest appraisal score',
  isProjected: true,
  scale(column, rows, kind, scale) {
    measure(column, rows, figures);
    const { min, max, mean, pivot, offset } = figures;
    // The exact test: the mean of equal values may differ from them in the last bit, and the
    // normalisation below would blow that bit up to 1.
    const isConstant = min === max;
    scale.form = max === 0 ? 'none' : 'linear';
    scale.pivot = isConstant ? min : pivot;
    scale.offset = isConstant ? 0 : offset;
    scale.divisor = mean;
    scale.norm = kind === 'benefit' ? 1 : -1;
  },
  finish(sums) {
    const { rows, up, down, scores } = sums;
    let maxUp = 0;
    let maxDown = 0;
    for (let row = 0; row < rows; row++) {
      if (up[row]! > maxUp) maxUp = up[row]!;
      if (down[row]! > maxDown) maxDown = down[row]!;
    }
    sums.maxUp = maxUp;
    sums.maxDown = maxDown;
    for (let row = 0; row < rows; row++) {
      scores[row] = (share(up[row]!, maxUp) + (1 - share(down[row]!, maxDown))) / 2;
    }
  },
  score: (sums, row) => (nsp(sums, row) + nsn(sums, row)) / 2,
  details: (sums, row) => ({
    sp: sums.up[row]!,
    sn: sums.down[row]!,
    nsp: nsp(sums, row),
    nsn: nsn(sums, row),
  }),
};

function nsp({ up, maxUp }: Sums, row: number): number {
  return share(up[row]!, maxUp);
}

/** NSN_i; below 0 for a row that is now worse than every row was when the statistics were taken. */
function nsn({ down, maxDown }: Sums, row: number): number {
  return 1 - share(down[row]!, maxDown);
}

/** sum / max; the sum itself when no row differed from the average. */
function share(sum: number, max: number): number {
  return max === 0 ? sum : sum / max;
}
