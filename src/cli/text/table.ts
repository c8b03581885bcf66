// A table for people: aligned columns, numbers to the right, only spaces between the columns.

import { withoutColors } from './colors.ts';
import { plainText } from './foreign-text.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: 'left' | 'right';
}

export function renderTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  paintTitle: (title: string) => string = (title) => title,
): string {
  const cells = rows.map((row) => columns.map(({ cell }) => plainText(cell(row))));
  const titles = columns.map(({ title }) => plainText(title));
  const widths = titles.map((title, index) =>
    Math.max(title.length, ...cells.map((row) => widthOf(row[index] ?? ''))),
  );
  const line = (row: readonly string[]) =>
    row
      .map((text, index) => pad(text, widths[index] ?? 0, columns[index]?.align ?? 'left'))
      .join('  ')
      .trimEnd();
  return [paintTitle(line(titles)), ...cells.map(line)].join('\n');
}

/** A line for each fact, with its name before it. */
export function renderFacts(facts: readonly (readonly [string, string])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${plainText(value)}`).join('\n');
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? space + text : text + space;
}

function widthOf(text: string): number {
  return Array.from(withoutColors(text)).length;
}
