// The bare methods: one score per row of checked columns.

import type { Sums } from './method.ts';

export function scoreColumns(
  sums: Sums,
  columns: readonly Float64Array[],
  weights: Float64Array,
  types: ArrayLike<number>,
  rows: number,
): number[] {
  sums.reset(rows);
  columns.forEach((column, index) => {
    const weight = weights[index]!;
    if (weight > 0) sums.add(column, types[index] === 1 ? 'benefit' : 'cost', weight);
  });
  const scores = new Float64Array(rows);
  sums.finish(scores);
  return Array.from(scores);
}
