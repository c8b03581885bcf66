// How the amounts of a scenario are drawn: by inversion, one number of the stream for each.

import { normalCdf } from './normal-cdf.ts';
import { normalQuantile } from './normal.ts';
import type { Stream } from './stream.ts';

/** An amount as it is drawn; what a file held is `one_of` by then. */
export type Drawn =
  | number
  | { readonly uniform: readonly [number, number] }
  | ({ readonly normal: MeanAndCv } & Bounds)
  | ({ readonly log_normal: MeanAndCv } & Bounds)
  | { readonly exponential: { readonly mean: number } }
  | ({ readonly pareto: { readonly least: number; readonly alpha: number } } & Bounds)
  | { readonly one_of: readonly number[] };

interface MeanAndCv {
  readonly mean: number;
  /** Standard deviation / mean. */
  readonly cv: number;
}

interface Bounds {
  readonly at_least?: number | undefined;
  readonly at_most?: number | undefined;
}

/** At least 0. A constant draws nothing. What has bounds is truncated: drawn as if anew until it lies within them. */
export function draw(amount: Drawn, stream: Stream): number {
  if (typeof amount === 'number') return amount;
  const u = stream.next();
  if ('uniform' in amount) {
    const [low, high] = amount.uniform;
    return low + (high - low) * u;
  }
  if ('exponential' in amount) return -Math.log1p(-u) * amount.exponential.mean;
  if ('one_of' in amount) return amount.one_of[Math.floor(u * amount.one_of.length)]!;
  const { at_least: least = 0, at_most: most = Infinity } = amount;
  const shares = sharesOf(amount);
  // A hair of rounding leaves no bound behind.
  return Math.min(most, Math.max(least, quantileOf(amount, shares.below + u * shares.within)));
}

export interface Shares {
  /** Of the draws without bounds: those below `at_least`, or below 0. */
  readonly below: number;
  /** Those between the bounds. */
  readonly within: number;
}

/** How much the bounds leave of a distribution. */
export function sharesOf(amount: Bounded): Shares {
  const { at_least: least = 0, at_most: most = Infinity } = amount;
  const below = shareBelow(amount, least);
  return { below, within: shareBelow(amount, most) - below };
}

type Bounded = Extract<Drawn, Bounds>;

function shareBelow(amount: Bounded, value: number): number {
  if (value === Infinity) return 1;
  if ('normal' in amount) {
    const { mean, cv } = amount.normal;
    const distance = value - mean;
    return mean * cv === 0 ? Number(distance > 0) : normalCdf(distance / (mean * cv));
  }
  if (value <= 0) return 0;
  if ('log_normal' in amount) {
    const { middle, deviation } = logarithmOf(amount.log_normal);
    const distance = Math.log(value) - middle;
    return deviation === 0 ? Number(distance > 0) : normalCdf(distance / deviation);
  }
  const { least, alpha } = amount.pareto;
  return value <= least ? 0 : 1 - (least / value) ** alpha;
}

/** The value below which so many draws lie, without bounds. */
function quantileOf(amount: Bounded, share: number): number {
  if ('normal' in amount) {
    const { mean, cv } = amount.normal;
    return mean * (1 + cv * normalQuantile(open(share)));
  }
  if ('log_normal' in amount) {
    const { middle, deviation } = logarithmOf(amount.log_normal);
    return Math.exp(middle + deviation * normalQuantile(open(share)));
  }
  const { least, alpha } = amount.pareto;
  return least * (1 - share) ** (-1 / alpha);
}

/** Of the logarithm: variance ln(1 + cv²), mean ln(mean) - variance / 2. */
function logarithmOf({ mean, cv }: MeanAndCv): { middle: number; deviation: number } {
  const variance = Math.log1p(cv * cv);
  return { middle: Math.log(mean) - variance / 2, deviation: Math.sqrt(variance) };
}

/** Uniform in (0, 1): half of the smallest step away from its ends. */
function open(u: number): number {
  return Math.min(1 - 2 ** -53, Math.max(2 ** -54, u));
}
