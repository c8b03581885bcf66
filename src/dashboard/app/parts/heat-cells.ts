// Cells of consecutive tasks: where each stands, how it looks, what it says.

import type { TaskCounts, TaskMap } from '../../../protocol/resources.ts';
import { taskStates } from '../look/states.ts';
import { grouped } from '../text/numbers.ts';
import { counted, listed } from '../text/words.ts';

export interface CellGrid {
  readonly columns: number;
  readonly rows: number;
  /** Pixels from one cell to the next. */
  readonly step: number;
}

const smallest = 5;
const largest = 20;

export function cellCount(map: Pick<TaskMap, 'from' | 'to' | 'width'>): number {
  return Math.ceil((map.to - map.from) / map.width);
}

/** Cells as large as they fit, in rows that fill the width. */
export function cellGrid(
  cells: number,
  { width, height }: { readonly width: number; readonly height: number },
): CellGrid {
  const fitting = Math.floor(Math.sqrt((width * height) / Math.max(1, cells)));
  const step = Math.max(smallest, Math.min(largest, fitting));
  const columns = Math.max(1, Math.min(cells, Math.floor(width / step)));
  return { columns, rows: Math.ceil(cells / columns), step };
}

/** The cell at this point, or null. */
export function cellAt(grid: CellGrid, cells: number, x: number, y: number): number | null {
  const [column, row] = [Math.floor(x / grid.step), Math.floor(y / grid.step)];
  const cell = row * grid.columns + column;
  return x < 0 || y < 0 || column >= grid.columns || cell >= cells ? null : cell;
}

export function countsOf(map: TaskMap, cell: number): TaskCounts {
  return Object.fromEntries(
    taskStates.map((state) => [state, map.counts[state][cell] ?? 0]),
  ) as unknown as TaskCounts;
}

/** The tasks of a cell; `to` is not in it. */
export function rangeOf(
  map: Pick<TaskMap, 'from' | 'to' | 'width'>,
  cell: number,
): { readonly from: number; readonly to: number } {
  const from = map.from + cell * map.width;
  return { from, to: Math.min(map.to, from + map.width) };
}

/** What a cell is drawn as: one failed is enough for the cross, one running for the blue. */
export interface CellLook {
  readonly base: 'pending' | 'assigned' | 'running' | 'completed' | 'failed' | 'cancelled';
  /** Of completed: the lightness in thirds. */
  readonly third: 1 | 2 | 3;
  /** A line at its foot. */
  readonly isRunning: boolean;
}

export function lookOf(counts: TaskCounts): CellLook {
  const total = taskStates.reduce((sum, state) => sum + counts[state], 0);
  const share = counts.completed / Math.max(1, total);
  const third = share >= 1 ? 3 : share > 0.5 ? 2 : 1;
  const look = (base: CellLook['base']): CellLook => ({
    base,
    third,
    isRunning: counts.running > 0 && base !== 'running',
  });
  if (counts.failed > 0) return look('failed');
  if (counts.running === total && total > 0) return look('running');
  if (counts.completed > 0) return look('completed');
  if (counts.running > 0) return look(total === 1 ? 'running' : 'pending');
  if (counts.assigned > 0) return look('assigned');
  return look(counts.cancelled === total && total > 0 ? 'cancelled' : 'pending');
}

export type CellKey = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End';

/** Where the arrows lead; null begins at the first cell. */
export function moveCell(
  from: number | null,
  key: CellKey,
  grid: CellGrid,
  cells: number,
): number | null {
  if (cells === 0) return null;
  if (from === null) return 0;
  const steps: Record<CellKey, number> = {
    ArrowLeft: from - 1,
    ArrowRight: from + 1,
    ArrowUp: from - grid.columns,
    ArrowDown: from + grid.columns,
    Home: 0,
    End: cells - 1,
  };
  const to = steps[key];
  return to < 0 || to >= cells ? from : to;
}

/** `Task 12`, `Tasks 6 012–6 015`. */
export function namedRange({ from, to }: { readonly from: number; readonly to: number }): string {
  return to - from === 1
    ? `Task ${grouped(from)}`
    : `Tasks ${grouped(from)}\u2013${grouped(to - 1)}`;
}

/** What is read of a cell: `Tasks 0–3: 2 completed and 1 failed`. */
export function toldOfCell(map: TaskMap, cell: number): string {
  const counts = countsOf(map, cell);
  const range = rangeOf(map, cell);
  const there = taskStates.filter((state) => counts[state] > 0);
  const parts =
    range.to - range.from === 1
      ? there
      : there.map((state) => `${grouped(counts[state])} ${state}`);
  return `${namedRange(range)}: ${listed(parts)}`;
}

/** The finding of the whole picture. */
export function toldOfMap(map: TaskMap): string {
  const cells = cellCount(map);
  const sums = taskStates
    .map((state) => [state, map.counts[state].reduce((sum, count) => sum + count, 0)] as const)
    .filter(([, sum]) => sum > 0)
    .map(([state, sum]) => `${grouped(sum)} ${state}`);
  const grain = map.width === 1 ? '' : `, ${grouped(map.width)} to a cell`;
  return `${counted(map.to - map.from, 'task')} in ${counted(cells, 'cell')}${grain}: ${listed(sums)}.`;
}
