// Weights that a search tries: each criterion alone, then points drawn evenly from all mixtures, and later points
// near the best so far.

import { type CriterionId, criterionIds } from '../../core/snapshot.ts';
import type { Stream } from '../chance/stream.ts';

/** Non-negative, of sum 1, over all nine criteria. */
export type Mixture = Readonly<Record<CriterionId, number>>;

/** Weights below are nothing but noise of the search. */
const least = 0.02;

export function mixtureOf(weights: Readonly<Partial<Record<CriterionId, number>>>): Mixture {
  const sum = criterionIds.reduce((total, id) => total + (weights[id] ?? 0), 0);
  return Object.fromEntries(
    criterionIds.map((id) => [id, (weights[id] ?? 0) / sum]),
  ) as unknown as Mixture;
}

/** All weight on one criterion, one after the other. */
export function corners(ids: readonly CriterionId[]): readonly Mixture[] {
  return ids.map((id) => mixtureOf({ [id]: 1 }));
}

/** Evenly from the simplex: exponential numbers over their sum (Devroye, Non-Uniform Random Variate Generation, 1986). */
export function drawMixture(ids: readonly CriterionId[], stream: Stream): Mixture {
  return mixtureOf(Object.fromEntries(ids.map((id) => [id, -Math.log1p(-stream.next())])));
}

/** Between the mixture and another one drawn evenly; `reach` 0 stays, 1 forgets it. */
export function drawNear(
  mixture: Mixture,
  ids: readonly CriterionId[],
  reach: number,
  stream: Stream,
): Mixture {
  const other = drawMixture(ids, stream);
  return mixtureOf(
    Object.fromEntries(ids.map((id) => [id, (1 - reach) * mixture[id] + reach * other[id]])),
  );
}

/** As one would write them down: two digits, and nothing that is next to nothing. */
export function tidied(mixture: Mixture): Mixture {
  const kept = criterionIds.map((id) => [id, mixture[id] < least ? 0 : mixture[id]] as const);
  const whole = mixtureOf(Object.fromEntries(kept));
  return Object.fromEntries(
    criterionIds.map((id) => [id, Math.round(whole[id] * 100) / 100]),
  ) as unknown as Mixture;
}
