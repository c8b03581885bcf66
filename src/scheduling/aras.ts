// ARAS, Additive Ratio Assessment. Zavadskas & Turskis (2010), Technological and Economic
// Development of Economy 16(2):159-172, doi:10.3846/tede.2010.10.
//
//   x_0j    = best observed value of column j, the hypothetical optimal worker
//   x*_ij   = x_ij for a benefit, 1 / x_ij for a cost, row 0 too
//   xbar_ij = x*_ij / sum_{i=0..n} x*_ij
//   S_i     = sum_j w_j xbar_ij          K_i = S_i / S_0, in [0, 1]

import { bestRatios } from './best-ratio.ts';
import type { Kind } from './criteria.ts';
import { checkTypes, type Matrix, toColumns, toWeights } from './matrix-input.ts';
import { type ArgmaxMethod, type KeptSums, withRoom } from './method.ts';
import { scoreColumns } from './score-columns.ts';

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
  const columns = toColumns(matrix);
  checkTypes(types, columns.length);
  return scoreColumns(
    new ArasSums(),
    columns,
    toWeights(weights, columns.length),
    types,
    matrix.length,
  );
}

export class ArasSums implements KeptSums {
  s = new Float64Array(0);
  /** S_0, of the hypothetical optimal worker. */
  optimal = 0;
  #kept = new Float64Array(0);
  #keptOptimal = 0;
  #ratios = new Float64Array(0);
  #rows = 0;

  reset(rows: number): void {
    this.#rows = rows;
    this.s = withRoom(this.s, rows).fill(0, 0, rows);
    this.#kept = withRoom(this.#kept, rows);
    this.#ratios = withRoom(this.#ratios, rows);
    this.optimal = 0;
  }

  add(column: Float64Array, kind: Kind, weight: number): void {
    const rows = this.#rows;
    const ratios = this.#ratios;
    const s = this.s;
    if (!bestRatios(column, rows, kind, ratios)) return;
    // The ratio of the optimal row is 1.
    let sum = 1;
    for (let row = 0; row < rows; row++) sum += ratios[row]!;
    const factor = weight / sum;
    for (let row = 0; row < rows; row++) s[row]! += ratios[row]! * factor;
    this.optimal += factor;
  }

  keep(): void {
    for (let row = 0; row < this.#rows; row++) this.#kept[row] = this.s[row]!;
    this.#keptOptimal = this.optimal;
  }

  restore(): void {
    for (let row = 0; row < this.#rows; row++) this.s[row] = this.#kept[row]!;
    this.optimal = this.#keptOptimal;
  }

  finish(scores: Float64Array): void {
    for (let row = 0; row < this.#rows; row++) scores[row] = this.utility(row);
  }

  /** K_i */
  utility(row: number): number {
    return this.optimal === 0 ? 1 : this.s[row]! / this.optimal;
  }

  contribution(row: number): number {
    return this.s[row]!;
  }
}

export const arasMethod: ArgmaxMethod<ArasSums> = {
  scoreName: 'highest utility degree',
  isProjected: true,
  sums: () => new ArasSums(),
  details: (sums, row) => ({ s: sums.s[row]!, k: sums.utility(row) }),
};
