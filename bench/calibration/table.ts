// The rows of a calibration for people: aligned for a terminal, or as Markdown.

import { renderTable } from '../../src/cli/text/table.ts';
import type { Row } from './calibration.ts';

const seconds = (value: number) => `${value.toFixed(2)} s`;
const percent = (share: number) =>
  `${share < 0 ? '−' : '+'}${Math.abs(100 * share).toFixed(1)} %`.replace(/^[−+](0\.0 %)$/, '$1');

interface Cell {
  readonly title: string;
  readonly align?: 'right';
  readonly cell: (row: Row) => string;
}

const columns: readonly Cell[] = [
  { title: 'Tasks', cell: ({ mix }) => mix },
  { title: 'Algorithm', cell: ({ contender }) => contender },
  { title: 'Runs', align: 'right', cell: ({ runs }) => String(runs) },
  { title: 'Real', align: 'right', cell: ({ realMean }) => seconds(realMean) },
  {
    title: 'Least to most',
    align: 'right',
    cell: ({ realLeast, realMost }) => `${seconds(realLeast)} to ${seconds(realMost)}`,
  },
  { title: 'Simulated', align: 'right', cell: ({ simulatedMean }) => seconds(simulatedMean) },
  { title: 'Error', align: 'right', cell: ({ error }) => percent(error) },
  { title: 'Worst run', align: 'right', cell: ({ worst }) => percent(worst) },
  { title: 'In hindsight', align: 'right', cell: (row) => percent(row.errorInHindsight) },
];

export function textTable(rows: readonly Row[]): string {
  return renderTable(columns, rows);
}

export function markdownTable(rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    `|${columns.map(({ align }) => (align === 'right' ? '---:|' : '---|')).join('')}`,
    ...rows.map((row) => line(columns.map(({ cell }) => cell(row)))),
    '',
  ].join('\n');
}
