// Compares both sides of a move, row by row, by what their rows add up to.

import { StoreFault } from '../store.ts';
import { type MovedTable, movedTables } from './moved-tables.ts';
import { pagesOf } from './pages.ts';
import type { Bounds, MoveSide } from './sides.ts';
import { TableSum } from './table-sum.ts';

export interface ComparedTable {
  readonly table: string;
  readonly rows: number;
  readonly checksum: string;
}

interface CompareOptions {
  /** Hears how many rows of a table were added up since the last time. */
  readonly tell: (table: MovedTable, rows: number) => void;
  readonly bounds: Bounds;
}

/** Throws a `StoreFault` where they are not the same. */
export async function compare(
  source: MoveSide,
  target: MoveSide,
  { tell, bounds }: CompareOptions,
): Promise<readonly ComparedTable[]> {
  const compared: ComparedTable[] = [];
  for (const table of movedTables) {
    const told = (rows: number) => tell(table, rows);
    const [there, here] = await both([
      (isOver) => sumOf(source, table, { bounds, isOver, told }),
      (isOver) => sumOf(target, table, { bounds, isOver, told: () => undefined }),
    ]);
    if (there.rows !== here.rows || there.checksum !== here.checksum) {
      throw differing(source, target, { there, here });
    }
    compared.push(there);
  }
  return compared;
}

type IsOver = () => boolean;
type Work<T> = (isOver: IsOver) => Promise<T>;

/** When one fails, the other ends as well before anybody hears of it: whoever does may close both. */
async function both<T>([first, second]: readonly [Work<T>, Work<T>]): Promise<[T, T]> {
  let hasFailed = false;
  const begun = [first, second].map(async (work) => {
    try {
      return await work(() => hasFailed);
    } catch (error) {
      hasFailed = true;
      throw error;
    }
  });
  await Promise.allSettled(begun);
  return (await Promise.all(begun)) as [T, T];
}

interface SumOptions {
  readonly bounds: Bounds;
  readonly isOver: IsOver;
  readonly told: (rows: number) => void;
}

async function sumOf(
  side: MoveSide,
  table: MovedTable,
  { bounds, isOver, told }: SumOptions,
): Promise<ComparedTable> {
  const sum = new TableSum();
  for await (const { rows } of pagesOf(side, table, null, bounds)) {
    if (isOver()) break;
    for (const row of rows) sum.add(row);
    told(rows.length);
  }
  return { table: table.name, rows: sum.rows, checksum: sum.checksum };
}

interface Both {
  readonly there: ComparedTable;
  readonly here: ComparedTable;
}

function differing(source: MoveSide, target: MoveSide, { there, here }: Both): StoreFault {
  const what =
    there.rows === here.rows
      ? `the same number of rows (${there.rows}), and not the same in them`
      : `${there.rows} rows in the one, ${here.rows} in the other`;
  return new StoreFault(
    'value_damaged',
    `The table ${there.table} is not the same in ${source.address} and in ${target.address}: ${what}. Go on working with ` +
      `the first, remove what is at ${target.address}, and begin anew.`,
  );
}
