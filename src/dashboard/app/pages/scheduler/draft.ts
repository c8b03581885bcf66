// What is tried before it is applied. It lives in the address, so that it can be sent to somebody; what is in force
// is not written there.

import { criterionIds } from '../../../../protocol/criteria.ts';
import { percent } from '../../text/numbers.ts';
import { listed } from '../../text/words.ts';
import { headOf } from './criteria.ts';
import { algorithmIds } from './methods.ts';

export type Weights = Readonly<Record<string, number>>;

/** A configuration: the one in force, or one that is tried. */
export interface Setting {
  readonly algorithm: string;
  readonly weighting: 'manual' | 'entropy';
  readonly weights: Weights;
}

const mostWeight = 1_000_000;

/** What the address says; what it does not say, or says wrongly, is as in force. */
export function draftOf(query: URLSearchParams, inForce: Setting): Setting {
  const algorithm = algorithmIds.find((id) => id === query.get('algorithm'));
  const weighting = query.get('weighting');
  const hasWeights = criterionIds.some((id) => weightOf(query.get(id)) !== null);
  return {
    algorithm: algorithm ?? inForce.algorithm,
    weighting: weighting === 'manual' || weighting === 'entropy' ? weighting : inForce.weighting,
    weights: hasWeights
      ? allOf((id) => weightOf(query.get(id)) ?? 0)
      : allOf((id) => inForce.weights[id] ?? 0),
  };
}

/** What to write into the address: nothing for what is in force. Weights of 0 are left out. */
export function addressOf(draft: Setting, inForce: Setting): Record<string, string | null> {
  const isKept = isSame(draft, inForce);
  const isEmpty = sumOf(draft.weights) === 0;
  const weights = criterionIds.map((id, place): [string, string | null] => {
    const weight = draft.weights[id] ?? 0;
    const isTold = weight > 0 || (isEmpty && place === 0);
    return [id, isKept || !isTold ? null : String(weight)];
  });
  return {
    algorithm: isKept ? null : draft.algorithm,
    weighting: isKept ? null : draft.weighting,
    ...Object.fromEntries(weights),
  };
}

function weightOf(text: string | null): number | null {
  if (text === null || text.trim() === '') return null;
  const value = Number(text);
  return value >= 0 && value <= mostWeight ? value : null;
}

function allOf(weightFor: (id: string) => number): Weights {
  return Object.fromEntries(criterionIds.map((id) => [id, weightFor(id)]));
}

export function withWeight(draft: Setting, id: string, weight: number): Setting {
  // A slider adds up steps that have no exact binary form.
  const exact = Number(Math.min(mostWeight, Math.max(0, weight)).toFixed(6));
  return { ...draft, weights: { ...draft.weights, [id]: exact } };
}

export function isSame(a: Setting, b: Setting): boolean {
  return a.algorithm === b.algorithm && a.weighting === b.weighting && hasSameWeights(a, b);
}

function hasSameWeights(a: Setting, b: Setting): boolean {
  return criterionIds.every((id) => (a.weights[id] ?? 0) === (b.weights[id] ?? 0));
}

export function sumOf(weights: Weights): number {
  return criterionIds.reduce((sum, id) => sum + (weights[id] ?? 0), 0);
}

/** Of the sum of all, 0 to 1. */
export function shareOf(weights: Weights, id: string): number {
  const sum = sumOf(weights);
  return sum > 0 ? (weights[id] ?? 0) / sum : 0;
}

/** The right end of all sliders: 0.5, and more only where a weight is larger. */
export function sliderEnd(...all: readonly Weights[]): number {
  const largest = Math.max(
    0,
    ...all.flatMap((weights) => criterionIds.map((id) => weights[id] ?? 0)),
  );
  if (largest <= 0.5) return 0.5;
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= largest)!;
}

/** What is asked of the coordinator: all of it, so that nothing depends on what others set meanwhile. */
export function changeTo({ algorithm, weighting, weights }: Setting): Setting {
  return { algorithm, weighting, weights: allOf((id) => weights[id] ?? 0) };
}

/** How the draft differs from what is in force, as a part of a sentence; empty when it does not. */
export function differenceOf(draft: Setting, inForce: Setting): string {
  const parts: string[] = [];
  if (draft.algorithm !== inForce.algorithm) {
    parts.push(`${draft.algorithm} instead of ${inForce.algorithm}`);
  }
  if (draft.weighting !== inForce.weighting) {
    parts.push(draft.weighting === 'entropy' ? 'weights by entropy' : 'weights by hand');
  }
  if (draft.weighting === 'manual' && !hasSameWeights(draft, inForce)) {
    const changed = criterionIds
      .filter((id) => (draft.weights[id] ?? 0) !== (inForce.weights[id] ?? 0))
      .map((id) => `${headOf(id)} ${shareText(shareOf(draft.weights, id))}`);
    parts.push(changed.length > 3 ? `${changed.length} other weights` : listed(changed));
  }
  return listed(parts);
}

/** `off` at 0. */
export function shareText(share: number): string {
  return share === 0 ? 'off' : percent(share).replace('.0', '');
}
