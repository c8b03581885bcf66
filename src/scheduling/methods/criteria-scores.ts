// The scores of a multi-criteria method, kept from one `begin` to the next: the decision matrix, the
// weights in force, the statistics of the columns, and the sums of the rows.
//
// `follow` takes the statistics anew where a column has changed, and computes the scores of all rows: these
// are then the scores of the literature for the present matrix. Until the next `follow` the statistics
// stay: a worker that gets a task changes its own row and no other, in the time of one row.

import {
  type CriterionId,
  criterionIds,
  type SchedulerConfig,
  type Snapshot,
  type WorkerView,
} from '../../core/snapshot.ts';
import { type ColumnScale, emptyScale, scaled } from './column-scale.ts';
import { criterionList } from './criteria.ts';
import { DecisionMatrix } from './decision-matrix.ts';
import { type Method, Sums } from './method.ts';
import type { RankedColumn } from '../scheduler.ts';
import { at } from './readings.ts';
import { nameWeights, Weighing } from '../weights.ts';

export class CriteriaScores {
  readonly sums = new Sums();
  readonly #method: Method;
  readonly #matrix: DecisionMatrix;
  readonly #weighing: Weighing;
  readonly #scales = criterionIds.map(emptyScale);
  #isFirst = true;

  constructor(method: Method, config: SchedulerConfig) {
    this.#method = method;
    this.#matrix = new DecisionMatrix(method.isProjected);
    this.#weighing = new Weighing(config);
  }

  /** Larger is better; one per row. */
  get scores(): Float64Array<ArrayBuffer> {
    return this.sums.scores;
  }

  /** True when a score may have changed. */
  follow(snapshot: Snapshot): boolean {
    const matrix = this.#matrix;
    matrix.follow(snapshot);
    this.#weighing.follow(matrix);
    let isChanged = this.#isFirst || matrix.rows !== this.sums.rows;
    this.#isFirst = false;
    for (let column = 0; column < criterionList.length; column++) {
      if (!matrix.isChanged(column)) continue;
      isChanged = true;
      const { kind } = criterionList[column]!;
      this.#method.scale(matrix.columns[column]!, matrix.rows, kind, this.#scales[column]!);
    }
    matrix.settle();
    if (isChanged) this.#score();
    return isChanged;
  }

  /** Scores one row anew, by the present statistics; true when its score has changed. */
  rescore(row: number, worker: WorkerView): boolean {
    const { sums } = this;
    const matrix = this.#matrix;
    if (!matrix.project(worker, row)) return false;
    sums.clearRow(row);
    for (let column = 0; column < criterionList.length; column++) {
      if (!this.#counts(column)) continue;
      const x = matrix.columns[column]![row]!;
      sums.addToRow(row, x, this.#scales[column]!, this.#weighing.weights[column]!);
    }
    const score = this.#method.score(sums, row);
    if (score === sums.scores[row]) return false;
    sums.scores[row] = score;
    return true;
  }

  /** The table behind the scores, for explanations. Allocates. */
  table(): CriteriaTable {
    const matrix = this.#matrix;
    const { weights } = this.#weighing;
    const borders = matrix.asFollowed(() => this.#borders());
    this.sums.border = borders.reduce((sum, border) => sum + border, 0);
    const columns = criterionList.map(
      ({ id, kind }, column) =>
        new MatrixColumn({
          id,
          kind,
          weight: weights[column]!,
          isPresent: matrix.isPresent(column),
          values: matrix.columns[column]!.subarray(0, matrix.rows),
          imputed: matrix.imputed(column),
          projected: matrix.projected(column),
          scale: this.#counts(column) ? this.#scales[column]! : undefined,
          border: borders[column]!,
        }),
    );
    return {
      effectiveWeights: nameWeights(weights),
      columns,
      scoreOf: (row) => this.sums.scores[row]! - this.sums.border,
      detailsOf: (row) =>
        this.#method.details(this.sums, row, (id) => {
          const column = columns[at[id]]!;
          return column.contributionOf(column.values[row]!);
        }),
    };
  }

  #score(): void {
    const { sums } = this;
    const matrix = this.#matrix;
    sums.reset(matrix.rows);
    for (let column = 0; column < criterionList.length; column++) {
      if (!this.#counts(column)) continue;
      sums.add(matrix.columns[column]!, this.#scales[column]!, this.#weighing.weights[column]!);
    }
    this.#method.finish(sums);
  }

  #borders(): number[] {
    const { border } = this.#method;
    const { columns, rows } = this.#matrix;
    return criterionList.map((_, column) => {
      if (border === undefined || !this.#counts(column)) return 0;
      return (
        this.#weighing.weights[column]! * border(columns[column]!, rows, this.#scales[column]!)
      );
    });
  }

  #counts(column: number): boolean {
    return this.#weighing.weights[column]! > 0 && this.#matrix.isPresent(column);
  }
}

interface ColumnParts extends Omit<RankedColumn, 'contributionOf'> {
  /** Undefined: the column does not count. */
  readonly scale: ColumnScale | undefined;
  readonly border: number;
}

class MatrixColumn implements RankedColumn {
  readonly id;
  readonly kind;
  readonly weight;
  readonly isPresent;
  readonly values;
  readonly imputed;
  readonly projected;
  readonly #scale: ColumnScale | undefined;
  readonly #border: number;

  constructor(parts: ColumnParts) {
    this.id = parts.id;
    this.kind = parts.kind;
    this.weight = parts.weight;
    this.isPresent = parts.isPresent;
    this.values = parts.values;
    this.imputed = parts.imputed;
    this.projected = parts.projected;
    this.#scale = parts.scale;
    this.#border = parts.border;
  }

  contributionOf(value: number): number {
    const scale = this.#scale;
    return scale === undefined ? 0 : withoutSign(scaled(value, scale, this.weight) - this.#border);
  }
}

/** A zero loses its sign, which JSON does not have. */
function withoutSign(x: number): number {
  return x + 0;
}

export interface CriteriaTable {
  readonly effectiveWeights: Record<CriterionId, number>;
  readonly columns: readonly RankedColumn[];
  readonly scoreOf: (row: number) => number;
  readonly detailsOf: (row: number) => Record<string, number | string>;
}
