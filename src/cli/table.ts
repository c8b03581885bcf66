// A table for people: columns aligned, numbers to the right, nothing between the columns but space.

import { stripVTControlCharacters } from 'node:util';

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
  const widths = columns.map(({ title }, index) =>
    Math.max(title.length, ...cells.map((row) => widthOf(row[index] ?? ''))),
  );
  const line = (row: readonly string[]) =>
    row
      .map((text, index) => pad(text, widths[index] ?? 0, columns[index]?.align ?? 'left'))
      .join('  ')
      .trimEnd();
  return [paintTitle(line(columns.map(({ title }) => title))), ...cells.map(line)].join('\n');
}

/** Facts of one thing, a line each. */
export function renderFacts(facts: readonly (readonly [string, string])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${plainText(value)}`).join('\n');
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? space + text : text + space;
}

function widthOf(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length;
}

// What others have named (jobs, workers, errors) must neither break the lines nor steer the
// terminal. Of its escape sequences only colours pass.
export function plainText(text: string): string {
  return (
    text
      .replaceAll(/[\r\n\t]+/g, ' ')
      // oxlint-disable-next-line no-control-regex -- control characters are what is taken out
      .replaceAll(/\u001b(?!\[[\d;]*m)|[\u0000-\u001a\u001c-\u001f\u007f-\u009f]/g, '')
  );
}
