// Bars of what each criterion contributes, one after the other: to the right what is above 0, to the left what is
// below. All bars of a picture have one scale.

export interface BarParts {
  readonly key: string;
  /** By criterion, in their fixed order. */
  readonly parts: readonly (readonly [criterion: string, value: number])[];
}

export interface Segment {
  readonly criterion: string;
  readonly x: number;
  readonly width: number;
}

export interface StackedBar {
  readonly key: string;
  readonly segments: readonly Segment[];
  /** Where it ends at the right. */
  readonly end: number;
}

export interface StackedBars {
  /** Where 0 is. */
  readonly zero: number;
  readonly unit: number;
  readonly bars: readonly StackedBar[];
}

interface Room {
  readonly x: number;
  readonly width: number;
  /** The scale reaches so far at least, to the right. */
  readonly least?: number;
}

export function stackedBars(rows: readonly BarParts[], { x, width, least = 0 }: Room): StackedBars {
  const right = Math.max(least, ...rows.map(({ parts }) => sumOf(parts, (value) => value > 0)));
  const left = Math.max(0, ...rows.map(({ parts }) => -sumOf(parts, (value) => value < 0)));
  const unit = right + left === 0 ? 0 : width / (right + left);
  // Without anything to compare 0 is in the middle: nobody is better or worse.
  const zero = right + left === 0 ? x + width / 2 : x + left * unit;
  return { zero, unit, bars: rows.map(({ key, parts }) => barOf(key, parts, zero, unit)) };
}

function barOf(key: string, parts: BarParts['parts'], zero: number, unit: number): StackedBar {
  const segments: Segment[] = [];
  let [right, left] = [zero, zero];
  for (const [criterion, value] of parts) {
    const width = Math.abs(value) * unit;
    if (width === 0) continue;
    if (value < 0) left -= width;
    segments.push({ criterion, x: value < 0 ? left : right, width });
    if (value > 0) right += width;
  }
  return { key, segments, end: right };
}

function sumOf(parts: BarParts['parts'], counts: (value: number) => boolean): number {
  return parts.reduce((sum, [, value]) => (counts(value) ? sum + value : sum), 0);
}

interface Utility {
  readonly details: Readonly<Record<string, number | string>>;
}

/**
 * ARAS: what the hypothetical optimal worker gets for each criterion. It has the best value of each, so its part is
 * the largest of all; where the best is not among the rows its sum is more than that of its parts.
 */
export function optimumOf(rows: readonly (BarParts & Utility)[]): {
  readonly parts: BarParts['parts'];
  readonly sum: number;
} {
  const best = new Map<string, number>();
  for (const { parts } of rows) {
    for (const [criterion, value] of parts) {
      best.set(criterion, Math.max(best.get(criterion) ?? 0, value));
    }
  }
  const parts = [...best];
  const told = rows.find(({ details }) => Number(details['k']) > 0)?.details;
  const sum = told === undefined ? 0 : Number(told['s']) / Number(told['k']);
  return {
    parts,
    sum: Math.max(
      sum,
      parts.reduce((all, [, value]) => all + value, 0),
    ),
  };
}
