// What a Gantt shows: groups of rows, as devices with their slots, and bars in them. Times are milliseconds.

import type { Span } from './time-scale.ts';

/** How a bar looks: `lost` is dashed with a red end, `superseded` is lined. */
export type BarKind = 'completed' | 'running' | 'assigned' | 'failed' | 'lost' | 'superseded';

export interface GanttBar {
  readonly id: string;
  readonly from: number;
  /** Null: it goes on. */
  readonly to: number | null;
  readonly kind: BarKind;
  /** Name of a token, as `c3`, in place of the colour of its kind. */
  readonly colour?: string;
  /** Stands on the bar where 40 px are free. */
  readonly label?: string;
  /** What it is, for the hint and for those who do not see it. */
  readonly told: string;
  /** Opened by a click or Enter. */
  readonly href?: string;
  /** Moments of its checkpoints. */
  readonly marks?: readonly number[];
}

export interface GanttRow {
  readonly id: string;
  /** In order of time, without overlap. */
  readonly bars: readonly GanttBar[];
}

export interface GanttGroup {
  readonly id: string;
  readonly name: string;
  readonly href?: string;
  readonly rows: readonly GanttRow[];
  /** Rows of it that are left out. */
  readonly more?: number;
  /** What happened to it, told behind its bars. */
  readonly note?: {
    readonly at: number;
    readonly text: string;
    readonly kind: 'failed' | 'attention';
  };
}

/** From one bar to the one that went on from it. */
export interface GanttArrow {
  readonly id: string;
  readonly from: { readonly row: string; readonly at: number };
  readonly to: { readonly row: string; readonly at: number };
  readonly label: string;
  /** It went on from nothing. */
  readonly isHollow?: boolean;
}

/** Where each row stands. */
export interface PlacedRow extends GanttRow {
  readonly group: GanttGroup;
  readonly y: number;
}

export const rowHeight = 13;
const rowGap = 2;
const groupGap = 9;

/** Rows of a group stand close together. `height` is that of all. */
export function placeRows(
  groups: readonly GanttGroup[],
  top: number,
): { readonly rows: readonly PlacedRow[]; readonly height: number } {
  const rows: PlacedRow[] = [];
  let y = top;
  for (const group of groups) {
    for (const row of group.rows) {
      rows.push({ ...row, group, y });
      y += rowHeight + rowGap;
    }
    y += groupGap;
  }
  return { rows, height: y - groupGap };
}

/** When there is something to see: what goes on lasts to the end. */
export function busySpans(groups: readonly GanttGroup[], end: number): readonly Span[] {
  return groups.flatMap(({ rows }) =>
    rows.flatMap(({ bars }) => bars.map(({ from, to }) => ({ from, to: to ?? end }))),
  );
}

export interface BarPlace {
  readonly row: number;
  readonly bar: number;
}

/** The bar of this row that is there at this moment, or within `near` of it. */
export function barNear(
  row: GanttRow | undefined,
  at: number,
  near: number,
  end: number,
): number | null {
  let best: number | null = null;
  let distance = near;
  for (const [place, { from, to }] of row?.bars.entries() ?? []) {
    const away = Math.max(from - at, at - (to ?? end), 0);
    if (away === 0) return place;
    if (away <= distance) {
      best = place;
      distance = away;
    }
  }
  return best;
}

export type MoveKey = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End';

export const moveKeys: readonly string[] = [
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
] satisfies MoveKey[];

/** Along a row by its bars; to another row to the bar that is nearest in time. */
export function moveBar(
  rows: readonly GanttRow[],
  from: BarPlace | null,
  key: MoveKey,
  end: number,
): BarPlace | null {
  const first = rows.findIndex(({ bars }) => bars.length > 0);
  if (first < 0) return null;
  const current = from === null ? undefined : rows[from.row]?.bars[from.bar];
  if (from === null || current === undefined) {
    return { row: first, bar: rows[first]!.bars.length - 1 };
  }
  const last = rows[from.row]!.bars.length - 1;
  switch (key) {
    case 'ArrowLeft':
      return { ...from, bar: Math.max(0, from.bar - 1) };
    case 'ArrowRight':
      return { ...from, bar: Math.min(last, from.bar + 1) };
    case 'Home':
      return { ...from, bar: 0 };
    case 'End':
      return { ...from, bar: last };
    case 'ArrowUp':
    case 'ArrowDown': {
      const step = key === 'ArrowUp' ? -1 : 1;
      const middle = (current.from + (current.to ?? end)) / 2;
      for (let row = from.row + step; row >= 0 && row < rows.length; row += step) {
        const bar = barNear(rows[row], middle, Number.POSITIVE_INFINITY, end);
        if (bar !== null) return { row, bar };
      }
      return from;
    }
  }
}
