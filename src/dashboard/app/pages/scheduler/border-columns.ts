// MABAC: the border is a line, a bar the distance of a worker from it, and dots are the distances by criterion.

import type { BarParts } from './stacked-bars.ts';

export interface BorderColumn {
  readonly key: string;
  readonly x: number;
  readonly width: number;
  /** Of the sum. */
  readonly y: number;
  readonly isAbove: boolean;
  readonly dots: readonly { readonly criterion: string; readonly x: number; readonly y: number }[];
}

export interface BorderColumns {
  /** Where the border is. */
  readonly border: number;
  readonly columns: readonly BorderColumn[];
}

interface Room {
  readonly x: number;
  readonly width: number;
  readonly top: number;
  readonly height: number;
}

export function borderColumns(
  rows: readonly (BarParts & { readonly score: number })[],
  { x, width, top, height }: Room,
): BorderColumns {
  const values = rows.flatMap(({ score, parts }) => [score, ...parts.map(([, value]) => value)]);
  const above = Math.max(0, ...values);
  const below = Math.max(0, ...values.map((value) => -value));
  const unit = above + below === 0 ? 0 : height / (above + below);
  const border = above + below === 0 ? top + height / 2 : top + above * unit;
  const step = width / Math.max(1, rows.length);
  const columns = rows.map(({ key, score, parts }, place) => {
    const left = x + place * step;
    return {
      key,
      x: left + step * 0.15,
      width: step * 0.7,
      y: border - score * unit,
      isAbove: score >= 0,
      dots: parts
        .filter(([, value]) => value !== 0)
        .map(([criterion, value], dot, { length }) => ({
          criterion,
          // Side by side, so that none hides another.
          x: left + step * (0.3 + (0.4 * (dot + 0.5)) / length),
          y: border - value * unit,
        })),
    };
  });
  return { border, columns };
}
