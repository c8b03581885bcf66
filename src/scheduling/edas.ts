// EDAS, Evaluation based on Distance from Average Solution. Keshavarz Ghorabaee, Zavadskas, Olfat,
// Turskis (2015), Informatica 26(3):435-451, doi:10.15388/Informatica.2015.57.
//
//   AV_j   = mean_i x_ij
//   PDA_ij = max(0,  t_j (x_ij - AV_j)) / AV_j      NDA_ij = max(0, -t_j (x_ij - AV_j)) / AV_j
//   SP_i   = sum_j w_j PDA_ij                       SN_i   = sum_j w_j NDA_ij
//   NSP_i  = SP_i / max SP                          NSN_i  = 1 - SN_i / max SN
//   AS_i   = (NSP_i + NSN_i) / 2, in [0, 1]

import { emptyFigures, measure } from './column.ts';
import type { Kind } from './criteria.ts';
import { checkTypes, type Matrix, toColumns, toWeights } from './matrix-input.ts';
import { type ArgmaxMethod, type KeptSums, withRoom } from './method.ts';
import { scoreColumns } from './score-columns.ts';

/**
 * Appraisal score of each row, from 0 to 1, larger is better; 0.5 for all when no column tells
 * them apart. `types`: 1 benefit, -1 cost. Throws a RangeError for values below 0 or not finite.
 */
export function edas(
  matrix: Matrix,
  weights: ArrayLike<number>,
  types: ArrayLike<number>,
): number[] {
  const columns = toColumns(matrix);
  checkTypes(types, columns.length);
  return scoreColumns(
    new EdasSums(),
    columns,
    toWeights(weights, columns.length),
    types,
    matrix.length,
  );
}

export class EdasSums implements KeptSums {
  sp = new Float64Array(0);
  sn = new Float64Array(0);
  #keptSp = new Float64Array(0);
  #keptSn = new Float64Array(0);
  #rows = 0;
  #maxSp = 0;
  #maxSn = 0;
  readonly #figures = emptyFigures();

  reset(rows: number): void {
    this.#rows = rows;
    this.sp = withRoom(this.sp, rows).fill(0, 0, rows);
    this.sn = withRoom(this.sn, rows).fill(0, 0, rows);
    this.#keptSp = withRoom(this.#keptSp, rows);
    this.#keptSn = withRoom(this.#keptSn, rows);
  }

  add(column: Float64Array, kind: Kind, weight: number): void {
    const { sp, sn } = this;
    const rows = this.#rows;
    measure(column, rows, this.#figures);
    const { min, max, mean, pivot, offset } = this.#figures;
    // The exact test: the mean of equal values may differ from them in the last bit, and the
    // normalisation below would blow that bit up to 1. It also covers AV = 0.
    if (min === max) return;
    const factor = kind === 'benefit' ? weight : -weight;
    for (let row = 0; row < rows; row++) {
      const distance = ((column[row]! - pivot - offset) / mean) * factor;
      if (distance > 0) sp[row]! += distance;
      else sn[row]! -= distance;
    }
  }

  keep(): void {
    for (let row = 0; row < this.#rows; row++) {
      this.#keptSp[row] = this.sp[row]!;
      this.#keptSn[row] = this.sn[row]!;
    }
  }

  restore(): void {
    for (let row = 0; row < this.#rows; row++) {
      this.sp[row] = this.#keptSp[row]!;
      this.sn[row] = this.#keptSn[row]!;
    }
  }

  finish(scores: Float64Array): void {
    const { sp, sn } = this;
    const rows = this.#rows;
    let maxSp = 0;
    let maxSn = 0;
    for (let row = 0; row < rows; row++) {
      if (sp[row]! > maxSp) maxSp = sp[row]!;
      if (sn[row]! > maxSn) maxSn = sn[row]!;
    }
    this.#maxSp = maxSp;
    this.#maxSn = maxSn;
    for (let row = 0; row < rows; row++) scores[row] = (this.nsp(row) + this.nsn(row)) / 2;
  }

  /** Valid after `finish`. */
  nsp(row: number): number {
    return this.#maxSp === 0 ? 0 : this.sp[row]! / this.#maxSp;
  }

  /** Valid after `finish`. */
  nsn(row: number): number {
    return this.#maxSn === 0 ? 1 : 1 - this.sn[row]! / this.#maxSn;
  }

  contribution(row: number): number {
    return this.sp[row]! - this.sn[row]!;
  }
}

export const edasMethod: ArgmaxMethod<EdasSums> = {
  scoreName: 'highest appraisal score',
  isProjected: true,
  sums: () => new EdasSums(),
  details: (sums, row) => ({
    sp: sums.sp[row]!,
    sn: sums.sn[row]!,
    nsp: sums.nsp(row),
    nsn: sums.nsn(row),
  }),
};
