// What is said of a move from one database to another, while it goes on and at its end.

import type { MoveProgress, MoveReport } from '../../store/move/move.ts';
import { counted, duration, grouped } from './wording.ts';

const doing = { copying: 'moving', comparing: 'comparing' } as const;

/** One line: how many tables, which one, how many rows, how fast. `ms` is the time of the phase. */
export function moveLine({ phase, table, place, tables, rows }: MoveProgress, ms: number): string {
  if (phase === 'looking') return `looking for damage …  ${counted(rows, 'value')}`;
  const pace = ms < 500 ? '' : `  ${perSecond(rows, ms)}`;
  return `${doing[phase]} ${table}, table ${place + 1} of ${tables}  ${counted(rows, 'row')}${pace}`;
}

/** What was moved, and that both sides are the same. */
export function moveReport(report: MoveReport): readonly string[] {
  const { rows, bytes, resumedRows, copyMs, compareMs, tables } = report;
  const now = rows - resumedRows;
  const before = resumedRows === 0 ? '' : ` ${counted(resumedRows, 'row')} were there already.`;
  return [
    `moved: ${counted(now, 'row')} in ${duration(copyMs)} (${perSecond(now, copyMs)}).${before}`,
    `compared: ${counted(tables.length, 'table')}, ${counted(rows, 'row')}, ${(bytes / 1e6).toFixed(1)} MB; ` +
      `the same on both sides (${duration(compareMs)}).`,
  ];
}

function perSecond(rows: number, ms: number): string {
  return `${grouped(Math.round((rows * 1_000) / Math.max(ms, 1)))} rows/s`;
}
