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

import { criterionIds } from '../core/snapshot.ts';
import { emptyFigures, measure } from './column.ts';
import type { Kind } from './criteria.ts';
import { checkTypes, type Matrix, toColumns, toWeights } from './matrix-input.ts';
import { type ArgmaxMethod, type KeptSums, withRoom } from './method.ts';
import { scoreColumns } from './score-columns.ts';

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
  const columns = toColumns(matrix);
  checkTypes(types, columns.length);
  return scoreColumns(
    new MabacSums(true),
    columns,
    toWeights(weights, columns.length),
    types,
    matrix.length,
  );
}

export class MabacSums implements KeptSums {
  s = new Float64Array(0);
  #kept = new Float64Array(0);
  #rows = 0;
  readonly #hasBorder: boolean;
  readonly #figures = emptyFigures();

  /** Without the border all scores are too large by the same amount, and cost no logarithms. */
  constructor(hasBorder: boolean) {
    this.#hasBorder = hasBorder;
  }

  reset(rows: number): void {
    this.#rows = rows;
    this.s = withRoom(this.s, rows).fill(0, 0, rows);
    this.#kept = withRoom(this.#kept, rows);
  }

  add(column: Float64Array, kind: Kind, weight: number): void {
    const s = this.s;
    const rows = this.#rows;
    measure(column, rows, this.#figures);
    const { min, max } = this.#figures;
    // Any constant n_ij puts every row on the border.
    if (min === max) return;
    const range = max - min;
    const worst = kind === 'benefit' ? min : max;
    const direction = kind === 'benefit' ? 1 : -1;
    const border = this.#hasBorder ? borderOf(column, rows, worst, direction * range) : 0;
    for (let row = 0; row < rows; row++) {
      s[row]! += weight * ((direction * (column[row]! - worst)) / range - border);
    }
  }

  keep(): void {
    for (let row = 0; row < this.#rows; row++) this.#kept[row] = this.s[row]!;
  }

  restore(): void {
    for (let row = 0; row < this.#rows; row++) this.s[row] = this.#kept[row]!;
  }

  finish(scores: Float64Array): void {
    for (let row = 0; row < this.#rows; row++) scores[row] = this.s[row]!;
  }

  contribution(row: number): number {
    return this.s[row]!;
  }
}

/** `upper`: G+, towards the ideal; `lower`: G-; `border` within 1e-12 of it. */
export function areaOf(distance: number): 'upper' | 'border' | 'lower' {
  if (Math.abs(distance) <= 1e-12) return 'border';
  return distance > 0 ? 'upper' : 'lower';
}

export const mabacMethod: ArgmaxMethod<MabacSums> = {
  scoreName: 'greatest distance from the border',
  isProjected: true,
  sums: (full) => new MabacSums(full),
  details: (sums, row, criteria) => {
    const details: Record<string, number | string> = { area: areaOf(sums.s[row]!) };
    for (const id of criterionIds) {
      const distance = criteria[id].contribution;
      details[`${id}_distance`] = distance;
      details[`${id}_area`] = areaOf(distance);
    }
    return details;
  },
};

/** g_j / w_j - 1 */
function borderOf(column: Float64Array, rows: number, worst: number, range: number): number {
  let sum = 0;
  for (let row = 0; row < rows; row++) sum += Math.log1p((column[row]! - worst) / range);
  return Math.expm1(sum / rows);
}
