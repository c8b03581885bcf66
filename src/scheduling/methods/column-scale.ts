// Turns one value of a column into its contribution to the sum of its row, by the statistics of that
// column. The statistics are taken at each `begin` and stay until the next one, so a row that changes
// meanwhile is measured by the same scale as all others.
//
// Hot: a scale is applied to every row after every heartbeat. So scales are objects that are reused, and
// the three forms are separate loops rather than functions handed in.

import { emptyFigures, measure } from './column.ts';
import type { Kind } from './criteria.ts';

export interface ColumnScale {
  /**
   * `linear`: (x - pivot - offset) / divisor; `inverse`: pivot / x; `guarded`: 1 / (x / divisor + 1);
   * `none`: the column tells nothing and contributes 0.
   */
  form: 'linear' | 'inverse' | 'guarded' | 'none';
  pivot: number;
  offset: number;
  divisor: number;
  /** A contribution is the form times weight / norm. */
  norm: number;
}

export function emptyScale(): ColumnScale {
  return { form: 'none', pivot: 0, offset: 0, divisor: 1, norm: 1 };
}

const figures = emptyFigures();

/**
 * The share of the best value that a row reaches: x / max of a benefit, min / x of a cost, in
 * [0, 1]. wrr adds it up; ARAS divides it by its sum, which gives the same as the textbook's x or
 * 1 / x divided by their sums, and never overflows.
 */
export function scaleByBest(
  column: Float64Array,
  rows: number,
  kind: Kind,
  scale: ColumnScale,
): void {
  measure(column, rows, figures);
  const { min, max, mean } = figures;
  scale.pivot = 0;
  scale.offset = 0;
  scale.norm = 1;
  if (max === 0) {
    scale.form = 'none';
  } else if (kind === 'benefit') {
    scale.form = 'linear';
    scale.divisor = max;
  } else if (min > 0) {
    scale.form = 'inverse';
    scale.pivot = min;
  } else {
    // 1/0 is infinite. 1 / (x + mean) is finite, free of units, and keeps the order. The criteria
    // of the schedulers have no zero in a cost column; the bare method may be given one.
    scale.form = 'guarded';
    scale.divisor = mean;
  }
}

/** Adds the contributions of a column to the rows: those above 0 to `up`, those below to `down`. */
export function addScaled(
  column: Float64Array,
  rows: number,
  scale: ColumnScale,
  weight: number,
  up: Float64Array,
  down: Float64Array,
): void {
  const { pivot, offset, divisor } = scale;
  const factor = weight / scale.norm;
  switch (scale.form) {
    case 'linear':
      for (let row = 0; row < rows; row++) {
        const share = ((column[row]! - pivot - offset) / divisor) * factor;
        // Exact, and without a branch that the processor could not predict.
        const size = Math.abs(share);
        up[row]! += (size + share) / 2;
        down[row]! += (size - share) / 2;
      }
      return;
    case 'inverse':
      for (let row = 0; row < rows; row++) up[row]! += (pivot / column[row]!) * factor;
      return;
    case 'guarded':
      for (let row = 0; row < rows; row++) up[row]! += (1 / (column[row]! / divisor + 1)) * factor;
      return;
    case 'none':
  }
}

/** The contribution of a single value, the same to the last bit as `addScaled` adds. */
export function scaled(x: number, scale: ColumnScale, weight: number): number {
  return formOf(x, scale) * (weight / scale.norm);
}

function formOf(x: number, { form, pivot, offset, divisor }: ColumnScale): number {
  switch (form) {
    case 'linear':
      return (x - pivot - offset) / divisor;
    case 'inverse':
      return pivot / x;
    case 'guarded':
      return 1 / (x / divisor + 1);
    case 'none':
      return 0;
  }
}

/** Sum of the form over all rows. */
export function sumOfForms(column: Float64Array, rows: number, scale: ColumnScale): number {
  const { pivot, divisor } = scale;
  let sum = 0;
  if (scale.form === 'inverse') for (let row = 0; row < rows; row++) sum += pivot / column[row]!;
  else if (scale.form === 'linear') {
    for (let row = 0; row < rows; row++) sum += column[row]! / divisor;
  } else for (let row = 0; row < rows; row++) sum += formOf(column[row]!, scale);
  return sum;
}
