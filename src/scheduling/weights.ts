// How much each criterion counts. Weights are used relative to their sum; what is shown is what is
// in force. A criterion that no worker reports contributes nothing, whatever its weight.

import {
  type CriterionId,
  criterionIds,
  defaultWeights,
  type SchedulerConfig,
  type Snapshot,
  type Weights,
} from '../core/snapshot.ts';
import { DecisionMatrix } from './methods/decision-matrix.ts';
import { divergence, shareOut } from './methods/entropy.ts';

/** All nine, sum 1. Under `entropy` they depend on what the workers of the snapshot report. */
export function effectiveWeights(
  config: SchedulerConfig,
  snapshot: Snapshot,
): Record<CriterionId, number> {
  const weighing = new Weighing(config);
  const matrix = new DecisionMatrix(false);
  if (config.weighting === 'entropy') matrix.follow(snapshot);
  weighing.follow(matrix);
  return nameWeights(weighing.weights);
}

export class Weighing {
  /** One per column of the matrix, sum 1. */
  readonly weights = new Float64Array(criterionIds.length);
  readonly #isEntropy: boolean;
  /** Kept, so that only columns with a new reading are gone through again. */
  readonly #divergences = new Float64Array(criterionIds.length);

  constructor(config: SchedulerConfig) {
    this.#isEntropy = config.weighting === 'entropy';
    normalise(config.weights, this.weights);
  }

  /** Weights by entropy are those of the heartbeats, whatever was assigned since. */
  follow(matrix: DecisionMatrix): void {
    if (!this.#isEntropy) return;
    for (let column = 0; column < criterionIds.length; column++) {
      if (!matrix.isRead(column)) continue;
      this.#divergences[column] = matrix.isPresent(column)
        ? divergence(matrix.atHeartbeat(column), matrix.rows)
        : 0;
    }
    shareOut(this.#divergences, this.weights);
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
