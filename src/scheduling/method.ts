// A multi-criteria method, as the schedulers use it: sums that grow column by column. The score of
// a row is a function of its sums, and the sums are separable by column, so the columns that stand
// still between two heartbeats are added once and kept.

import type { CriterionId } from '../core/snapshot.ts';
import type { Kind } from './criteria.ts';
import type { CriterionScore } from './scheduler.ts';

export interface Sums {
  /** Forgets all columns; room for `rows` workers. */
  reset(rows: number): void;
  /** Adds one column of `weight` > 0. Values are finite and not negative. */
  add(column: Float64Array, kind: Kind, weight: number): void;
  /** Writes one score per row, larger is better. */
  finish(scores: Float64Array): void;
  /** Share of the columns added so far in the row's sum; of one criterion if only that was added. */
  contribution(row: number): number;
}

export interface KeptSums extends Sums {
  /** Keeps what has been added so far … */
  keep(): void;
  /** … and returns to it. */
  restore(): void;
}

export interface Method<S extends Sums = Sums> {
  /** Whether the load includes the tasks assigned since the newest heartbeat. */
  readonly isProjected: boolean;
  /**
   * `full` sums give the scores of the literature; without it a method may leave out what is the
   * same for every row, since it does not change the choice.
   */
  readonly sums: (full: boolean) => S;
}

/** A method whose largest score takes the task. */
export interface ArgmaxMethod<S extends KeptSums> extends Method<S> {
  /** In words: `highest appraisal score`. */
  readonly scoreName: string;
  /** What the method tells about a row beside its score, given the finished sums of all columns. */
  readonly details: (
    sums: S,
    row: number,
    criteria: Readonly<Record<CriterionId, CriterionScore>>,
  ) => Record<string, number | string>;
}

/** Room for `rows` numbers: `array` itself when it is long enough. Grows by doubling. */
export function withRoom(
  array: Float64Array<ArrayBuffer>,
  rows: number,
): Float64Array<ArrayBuffer> {
  if (array.length >= rows) return array;
  return new Float64Array(Math.max(rows, 2 * array.length, 16));
}
