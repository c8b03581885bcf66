// Smooth weighted round robin, as in nginx (2012, commit 2c9691431229): every round each entry
// earns its weight, the richest is taken and pays the sum of all weights. A weight of 3 is taken
// three times as often as a weight of 1, and the turns are spread: 5, 1, 1 gives a a b a c a a.

import { checkValue } from './methods/matrix-input.ts';

/**
 * `picks` indices into `weights`. Weight 0 gets nothing; if all are 0 they take turns. Exact for
 * integers; credits within 1e-12 of a round are equal, and the first of them is taken.
 */
export function smoothWrr(weights: ArrayLike<number>, picks: number): number[] {
  const earned = checkWeights(weights);
  checkPicks(picks, earned.length);
  const total = earned.reduce((sum, weight) => sum + weight, 0);
  const credits = new Float64Array(earned.length);
  return Array.from({ length: picks }, () => takeRichest(credits, earned, total));
}

function takeRichest(credits: Float64Array, earned: Float64Array, total: number): number {
  const tie = total * 1e-12;
  let best = -1;
  for (let index = 0; index < credits.length; index++) {
    if (earned[index] === 0) continue;
    credits[index]! += earned[index]!;
    if (best < 0 || credits[index]! > credits[best]! + tie) best = index;
  }
  credits[best]! -= total;
  return best;
}

function checkWeights(weights: ArrayLike<number>): Float64Array {
  const earned = new Float64Array(weights.length);
  let largest = 0;
  for (let index = 0; index < earned.length; index++) {
    const weight = weights[index];
    checkValue(weight, `weights, row ${index}`);
    earned[index] = weight;
    largest = Math.max(largest, weight);
  }
  if (largest === 0) return earned.fill(1);
  // Only beyond 1e300 does the sum leave the range of binary64; integers stay exact below.
  return largest < 1e300 ? earned : earned.map((weight) => weight / largest);
}

function checkPicks(picks: number, entries: number): void {
  if (!Number.isSafeInteger(picks) || picks < 0) {
    throw new RangeError(`picks: ${String(picks)} is not a whole number from 0`);
  }
  if (picks > 0 && entries === 0) throw new RangeError('weights: there is no row to pick');
}
