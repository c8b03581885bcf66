// How much each criterion counts. Weights are used relative to their sum; what is shown is what is
// in force. A criterion that no worker reports contributes nothing, whatever its weight.

import {
  type CriterionId,
  criterionIds,
  type SchedulerConfig,
  type Snapshot,
  type Weights,
} from '../core/snapshot.ts';
import { DecisionMatrix } from './decision-matrix.ts';
import { weighByEntropy } from './entropy.ts';

/** The five of the specification alike. */
export const defaultWeights = {
  cpu: 0.2,
  memory: 0.2,
  throughput: 0.2,
  failure_rate: 0.2,
  latency: 0.2,
} as const satisfies Weights;

/** All nine, sum 1. Under `entropy` they depend on what the workers of the snapshot report. */
export function effectiveWeights(
  config: SchedulerConfig,
  snapshot: Snapshot,
): Record<CriterionId, number> {
  const weights = new Float64Array(criterionIds.length);
  const matrix = new DecisionMatrix();
  if (config.weighting === 'entropy') matrix.read(snapshot.workers);
  weigh(config, matrix, weights);
  return nameWeights(weights);
}

/** Writes one weight per column of the matrix, which has been read and not yet projected. */
export function weigh(config: SchedulerConfig, matrix: DecisionMatrix, out: Float64Array): void {
  if (config.weighting === 'entropy') {
    weighByEntropy(
      matrix.columns.map((column, index) => (matrix.isPresent(index) ? column : undefined)),
      matrix.rows,
      out,
    );
  } else {
    normalise(config.weights, out);
  }
}

export function nameWeights(weights: Float64Array): Record<CriterionId, number> {
  const named = {} as Record<CriterionId, number>;
  criterionIds.forEach((id, index) => {
    named[id] = weights[index]!;
  });
  return named;
}

function normalise(weights: Weights, out: Float64Array): void {
  let sum = 0;
  for (const id of criterionIds) sum += weights[id] ?? 0;
  // A configuration is checked before it gets here; without any weight the default holds.
  if (!(sum > 0)) return normalise(defaultWeights, out);
  criterionIds.forEach((id, index) => {
    out[index] = (weights[id] ?? 0) / sum;
  });
}
