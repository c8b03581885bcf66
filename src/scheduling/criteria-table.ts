// The full table of a multi-criteria decision, for explanations: every criterion of every worker
// with its contribution. Made anew each time from the snapshot; `select` does not pass here.

import {
  type CriterionId,
  criterionIds,
  type SchedulerConfig,
  type Snapshot,
} from '../core/snapshot.ts';
import { criterionList } from './criteria.ts';
import { DecisionMatrix } from './decision-matrix.ts';
import type { Method, Sums } from './method.ts';
import type { CriterionScore } from './scheduler.ts';
import { nameWeights, weigh } from './weights.ts';

export interface CriteriaTable<S extends Sums> {
  readonly scores: Float64Array;
  readonly sums: S;
  readonly effectiveWeights: Record<CriterionId, number>;
  readonly criteriaOf: (row: number) => Record<CriterionId, CriterionScore>;
}

export function makeCriteriaTable<S extends Sums>(
  method: Method<S>,
  config: SchedulerConfig,
  { workers }: Snapshot,
): CriteriaTable<S> {
  const matrix = new DecisionMatrix();
  const weights = new Float64Array(criterionIds.length);
  matrix.read(workers);
  weigh(config, matrix, weights);
  if (method.isProjected) matrix.project(workers);
  const sums = method.sums(true);
  sums.reset(workers.length);
  const contributions = criterionList.map(({ kind }, column) => {
    const weight = weights[column]!;
    const values = matrix.columns[column]!;
    if (weight === 0 || !matrix.isPresent(column)) return new Float64Array(workers.length);
    sums.add(values, kind, weight);
    return contributionsOf(method.sums(true), workers.length, (single) => {
      single.add(values, kind, weight);
    });
  });
  const scores = new Float64Array(workers.length);
  sums.finish(scores);
  const criteriaOf = (row: number) => {
    const named = {} as Record<CriterionId, CriterionScore>;
    criterionList.forEach(({ id, kind }, column) => {
      named[id] = {
        value: matrix.isPresent(column) ? matrix.columns[column]![row]! : null,
        weight: weights[column]!,
        contribution: contributions[column]![row]!,
        kind,
        imputed: matrix.isImputed(column, row),
        projected: matrix.isProjected(column, row),
      };
    });
    return named;
  };
  return { scores, sums, effectiveWeights: nameWeights(weights), criteriaOf };
}

function contributionsOf(sums: Sums, rows: number, addColumn: (sums: Sums) => void): Float64Array {
  sums.reset(rows);
  addColumn(sums);
  return Float64Array.from({ length: rows }, (_, row) => sums.contribution(row));
}
