// A table for people: aligned columns, numbers to the right, only spaces between the columns. Where the room
// is known and too small, columns give way in the order that they say.

import { widthOf, cutToWidth } from './text-width.ts';
import { plainText } from './foreign-text.ts';
import type { Terminal } from './terminal.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: 'left' | 'right';
  /** It gives way to others when there is too little room: those with 1 first. Never without. */
  readonly givesWay?: number;
  /** What is left of it then; without this and `least`, nothing. */
  readonly short?: (row: Row) => string;
  /** It is only cut off then, as far as it must be, to no less than so much. Only for columns without colours. */
  readonly least?: number;
}

/** How wide a line may be: as many columns as a terminal has, and any number in a pipe. */
export function roomOf({ isWatched, columns }: Pick<Terminal, 'isWatched' | 'columns'>): number {
  return isWatched ? columns : Infinity;
}

/** The end of an id, which tells ids apart and is a handle. */
export function shortId(id: string): string {
  return id.length > ID_SHOWN ? `…${id.slice(-ID_SHOWN)}` : id;
}

const ID_SHOWN = 12;

export function renderTable<Row>(
  wanted: readonly Column<Row>[],
  rows: readonly Row[],
  paintTitle: (title: string) => string = (title) => title,
  room = Infinity,
): string {
  const columns = room === Infinity ? wanted : fitting(wanted, rows, room);
  const cells = rows.map((row) => columns.map(({ cell }) => plainText(cell(row))));
  const titles = columns.map(({ title }) => plainText(title));
  const widths = titles.map((title, index) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index] ?? ''))),
  );
  const line = (row: readonly string[]) =>
    row
      .map((text, index) => pad(text, widths[index] ?? 0, columns[index]?.align ?? 'left'))
      .join(GAP)
      .trimEnd();
  return [paintTitle(line(titles)), ...cells.map(line)].join('\n');
}

function fitting<Row>(
  wanted: readonly Column<Row>[],
  rows: readonly Row[],
  room: number,
): readonly Column<Row>[] {
  const widthOfOne = ({ title, cell }: Column<Row>) =>
    rows.reduce((most, row) => Math.max(most, widthOf(plainText(cell(row)))), title.length);
  const widths = new Map(wanted.map((column) => [column, widthOfOne(column)]));
  const yielding = wanted
    .filter(({ givesWay }) => givesWay !== undefined)
    .toSorted((one, other) => one.givesWay! - other.givesWay!);
  let columns = wanted;
  for (const column of yielding) {
    const taken = columns.reduce((sum, each) => sum + widths.get(each)! + GAP.length, -GAP.length);
    if (taken <= room) break;
    const left = leftOf(column, widths.get(column)! - (taken - room));
    for (const each of left) widths.set(each, widthOfOne(each));
    columns = columns.flatMap((each) => (each === column ? left : [each]));
  }
  return columns;
}

/** What stays of a column that gives way. */
function leftOf<Row>(column: Column<Row>, wanted: number): readonly Column<Row>[] {
  const { short, least, cell } = column;
  if (least === undefined) return short === undefined ? [] : [{ ...column, cell: short }];
  const width = Math.max(wanted, least);
  return [{ ...column, cell: (row) => cutToWidth(plainText(cell(row)), width) }];
}

const GAP = '  ';

/** A line for each fact, with its name before it. */
export function renderFacts(facts: readonly (readonly [string, string])[]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${plainText(value)}`).join('\n');
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const space = ' '.repeat(Math.max(0, width - widthOf(text)));
  return align === 'right' ? space + text : text + space;
}
