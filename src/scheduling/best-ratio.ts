// The share of the best value in a column that a row reaches: x / max of a benefit, min / x of a
// cost, in [0, 1]. wrr adds it up; ARAS divides it by its sum, which gives the same as the
// textbook's x or 1/x divided by their sums, and never overflows.

import { emptyFigures, measure } from './column.ts';
import type { Kind } from './criteria.ts';

const figures = emptyFigures();

/** Writes one ratio per row; false, and nothing written, for a column that is all zero. */
export function bestRatios(
  column: Float64Array,
  rows: number,
  kind: Kind,
  ratios: Float64Array,
): boolean {
  measure(column, rows, figures);
  const { min, max, mean } = figures;
  if (max === 0) return false;
  if (kind === 'benefit') {
    for (let row = 0; row < rows; row++) ratios[row] = column[row]! / max;
  } else if (min > 0) {
    for (let row = 0; row < rows; row++) ratios[row] = min / column[row]!;
  } else {
    // 1/0 is infinite. 1 / (x + mean) is finite, free of units, and keeps the order. The criteria
    // of the schedulers have no zero in a cost column; the bare method may be given one.
    for (let row = 0; row < rows; row++) ratios[row] = 1 / (column[row]! / mean + 1);
  }
  return true;
}
