// A multi-criteria method, as the schedulers use it. A row's score is a function of its sums over
// the columns; the statistics behind it (averages, extremes, the largest sums) are taken when the
// columns are scaled and the sums finished, and stand until that happens again.

import { addScaled, type ColumnScale, emptyScale, scaled } from './column-scale.ts';
import type { CriterionId } from '../../core/snapshot.ts';
import type { Kind } from './criteria.ts';

export interface Method {
  /** The score in words: `highest appraisal score`. */
  readonly scoreName: string;
  /** Whether the load includes the tasks assigned since the newest heartbeat. */
  readonly isProjected: boolean;
  /** Takes the statistics of a column. Values are finite and not negative. */
  readonly scale: (column: Float64Array, rows: number, kind: Kind, scale: ColumnScale) => void;
  /** Takes the statistics of the sums of all columns, and writes the score of every row. */
  readonly finish: (sums: Sums) => void;
  /** The score of a single row, by the statistics of the last `finish`. */
  readonly score: (sums: Sums, row: number) => number;
  /**
   * The part of a score that is the same for all rows, per column in units of its weight: subtracted where
   * scores are shown, and not where they are only compared. Absent in methods without such a part.
   */
  readonly border?: (column: Float64Array, rows: number, scale: ColumnScale) => number;
  /** What the method shows of a row beside its score. */
  readonly details: (
    sums: Sums,
    row: number,
    contributionOf: (id: CriterionId) => number,
  ) => Record<string, number | string>;
}

/** The sums of all rows, and the statistics over them. Scratch space that only grows. */
export class Sums {
  rows = 0;
  /** Sum of the contributions above 0, and of those below, without their sign. */
  up = new Float64Array(0);
  down = new Float64Array(0);
  /** Larger is better. */
  scores = new Float64Array(0);
  /** Sum of the borders, subtracted from the scores that are shown. */
  border = 0;
  maxUp = 0;
  maxDown = 0;
  /** The sum of a row that is the best in every column. */
  optimal = 0;

  reset(rows: number): void {
    this.rows = rows;
    this.up = withRoom(this.up, rows).fill(0, 0, rows);
    this.down = withRoom(this.down, rows).fill(0, 0, rows);
    this.scores = withRoom(this.scores, rows);
    this.border = 0;
    this.optimal = 0;
  }

  add(column: Float64Array, scale: ColumnScale, weight: number): void {
    addScaled(column, this.rows, scale, weight, this.up, this.down);
    if (scale.form !== 'none') this.optimal += weight / scale.norm;
  }

  /** Sets the sums of one row to 0; the statistics stay. */
  clearRow(row: number): void {
    this.up[row] = 0;
    this.down[row] = 0;
  }

  addToRow(row: number, x: number, scale: ColumnScale, weight: number): void {
    const share = scaled(x, scale, weight);
    if (share > 0) this.up[row]! += share;
    else this.down[row]! -= share;
  }
}

/** The bare methods: one score per row of checked columns. */
export function scoreColumns(
  method: Pick<Method, 'scale' | 'finish' | 'border'>,
  columns: readonly Float64Array[],
  weights: Float64Array,
  types: ArrayLike<number>,
  rows: number,
): number[] {
  const sums = new Sums();
  sums.reset(rows);
  const scale = emptyScale();
  columns.forEach((column, index) => {
    const weight = weights[index]!;
    if (weight === 0) return;
    method.scale(column, rows, types[index] === 1 ? 'benefit' : 'cost', scale);
    sums.add(column, scale, weight);
    sums.border += weight * (method.border?.(column, rows, scale) ?? 0);
  });
  method.finish(sums);
  return Array.from(sums.scores.subarray(0, rows), (score) => score - sums.border);
}

/** Room for `rows` numbers: `array` itself when it is long enough. Grows by doubling. */
export function withRoom(
  array: Float64Array<ArrayBuffer>,
  rows: number,
): Float64Array<ArrayBuffer> {
  if (array.length >= rows) return array;
  return new Float64Array(Math.max(rows, 2 * array.length, 16));
}
