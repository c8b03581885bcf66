// How one figure stands to another: by how much, and which of them is better.
//
// All that is known of a figure is its value and its n, so what chance does is bounded by n alone. Of n things that
// come by chance, or take times that are spread as far as their mean, the mean is uncertain by 1 / √n of itself; a
// share p of n by √(p (1 − p) / n); a median or a 95th percentile by as much as a mean of half as many. What is closer
// than two such errors of the difference is about the same.

import { grouped, measured, none, withUnit } from '../../text/numbers.ts';
import type { Figure } from './figures.ts';

/** Fewer say nothing about a difference. */
export const leastToCompare = 5;
const errors = 2;
/** However many there are, nobody minds less than a hundredth. */
const leastRatio = 0.01;

export interface Difference {
  readonly text: string;
  /** Whether anything can be said. */
  readonly isTold: boolean;
  /** Of the first; not there where they are about the same, or neither is better. */
  readonly verdict?: 'better' | 'worse';
}

const silent = (text: string): Difference => ({ text, isTold: false });

/** How the first stands to the second. */
export function differenceOf(one: Figure, other: Figure): Difference {
  if (one.value === null || other.value === null) return silent(none);
  const least = Math.min(one.n, other.n);
  if (least < leastToCompare) return silent(`too few: n = ${grouped(least)}`);
  if (one.value === other.value) return { text: 'the same', isTold: true };
  if (other.value === 0 && one.isShare !== true) return silent(none);
  const text = one.isShare === true ? inPoints(one, other) : inParts(one, other);
  if (text === null) return { text: 'about the same', isTold: true };
  const isMore = one.value > other.value;
  return {
    text,
    isTold: true,
    ...(one.better && { verdict: isMore === (one.better === 'more') ? 'better' : 'worse' }),
  };
}

/** Null: chance alone may do it. */
function inParts(one: Figure, other: Figure): string | null {
  const ratio = one.value! / other.value!;
  const least = Math.max(leastRatio, errors * spreadOf(one, other));
  if (Math.abs(Math.log(ratio)) < least) return null;
  if (ratio >= 2) return `${measured(ratio)} times as much`;
  return `${withUnit(measured(100 * Math.abs(ratio - 1)), '%')} ${ratio > 1 ? 'more' : 'less'}`;
}

function inPoints(one: Figure, other: Figure): string | null {
  const [p, q] = [one.value!, other.value!];
  const both = (p * one.n + q * other.n) / (one.n + other.n);
  const apart = p - q;
  if (Math.abs(apart) < errors * Math.sqrt(both * (1 - both)) * spreadOf(one, other)) return null;
  const points = measured(100 * Math.abs(apart));
  return `${withUnit(points, points === '1' ? 'point' : 'points')} ${apart > 0 ? 'more' : 'less'}`;
}

function spreadOf(one: Figure, other: Figure): number {
  return Math.sqrt(1 / (one.drawn ?? one.n) + 1 / (other.drawn ?? other.n));
}
