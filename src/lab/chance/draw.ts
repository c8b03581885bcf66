// How the amounts of a scenario are drawn: by inversion, one number of the stream for each.

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

/** At least 0. A constant draws nothing. */
export function draw(amount: Drawn, stream: Stream): number {
  if (typeof amount === 'number') return amount;
  const u = stream.next();
  if ('uniform' in amount) {
    const [low, high] = amount.uniform;
    return low + (high - low) * u;
  }
  if ('normal' in amount) {
    const { mean, cv } = amount.normal;
    return bounded(mean * (1 + cv * normalQuantile(open(u))), amount);
  }
  if ('log_normal' in amount) {
    const { mean, cv } = amount.log_normal;
    // Of the logarithm: variance ln(1 + cv²), mean ln(mean) - variance / 2.
    const variance = Math.log1p(cv * cv);
    const z = normalQuantile(open(u));
    return bounded(mean * Math.exp(Math.sqrt(variance) * z - variance / 2), amount);
  }
  if ('exponential' in amount) return -Math.log1p(-u) * amount.exponential.mean;
  if ('pareto' in amount) {
    const { least, alpha } = amount.pareto;
    return bounded(least * (1 - u) ** (-1 / alpha), amount);
  }
  return amount.one_of[Math.floor(u * amount.one_of.length)]!;
}

/** Uniform in (0, 1): half of the smallest step away from 0. */
function open(u: number): number {
  return u === 0 ? 2 ** -54 : u;
}

function bounded(value: number, { at_least = 0, at_most = Infinity }: Bounds): number {
  return Math.min(at_most, Math.max(at_least, 0, value));
}
