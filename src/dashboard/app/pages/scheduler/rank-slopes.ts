// Two rankings side by side: a line from the place that a worker has in one to its place in the other.

import { shownRows } from './shown-rows.ts';

export interface RankedRow {
  readonly worker_id: string;
  readonly rank: number;
  readonly selected: boolean;
}

export interface Slope {
  readonly workerId: string;
  readonly left: number;
  readonly right: number;
  /** Above 0: it stands higher at the right. */
  readonly risen: number;
  readonly leftY: number;
  readonly rightY: number;
  /** Its line is drawn in ink. */
  readonly isMarked: boolean;
}

export interface Slopes {
  readonly slopes: readonly Slope[];
  readonly leftOut: number;
  readonly height: number;
}

const markedFrom = 3;

/** Those that both know; of many the best of the left, its chosen one and its worst, and the first of the right. */
export function rankSlopes(
  left: readonly RankedRow[],
  right: readonly RankedRow[],
  { most, rowHeight }: { readonly most: number; readonly rowHeight: number },
): Slopes {
  const ranks = new Map(right.map(({ worker_id, rank }) => [worker_id, rank]));
  const both = left.filter(({ worker_id }) => ranks.has(worker_id));
  const shown = new Set(shownRows(both, most).rows);
  for (const row of both) if (ranks.get(row.worker_id)! <= 3) shown.add(row);
  const rows = both.filter((row) => shown.has(row));
  const byRight = rows.toSorted((a, b) => ranks.get(a.worker_id)! - ranks.get(b.worker_id)!);
  const slopes = rows.map((row, place) => {
    const rank = ranks.get(row.worker_id)!;
    const risen = row.rank - rank;
    return {
      workerId: row.worker_id,
      left: row.rank,
      right: rank,
      risen,
      leftY: (place + 0.5) * rowHeight,
      rightY: (byRight.indexOf(row) + 0.5) * rowHeight,
      isMarked: Math.abs(risen) >= markedFrom || row.rank === 1 || rank === 1,
    };
  });
  return { slopes, leftOut: both.length - rows.length, height: rows.length * rowHeight };
}

/** The finding in words: who is first, how many stand elsewhere, and who moves most. */
export function slopesSentence(
  slopes: readonly Slope[],
  { left, right }: { readonly left: string; readonly right: string },
  nameOf: (id: string) => string,
): string {
  const moved = slopes.filter(({ risen }) => risen !== 0);
  if (moved.length === 0) return `${left} and ${right} rank these devices alike.`;
  const first = (side: 'left' | 'right'): Slope | undefined =>
    slopes.find((slope) => slope[side] === 1);
  const [a, b] = [first('left'), first('right')];
  const parts: string[] = [];
  if (a !== undefined && b !== undefined) {
    parts.push(
      a === b
        ? `Both put ${nameOf(a.workerId)} first`
        : `${right} puts ${nameOf(b.workerId)} first instead of ${nameOf(a.workerId)}`,
    );
  }
  parts.push(`${moved.length} of ${slopes.length} stand elsewhere`);
  const farthest = moved.reduce((x, y) => (Math.abs(y.risen) > Math.abs(x.risen) ? y : x));
  parts.push(`${nameOf(farthest.workerId)} moves most, from ${farthest.left} to ${farthest.right}`);
  return `${parts.join('; ')}.`;
}
