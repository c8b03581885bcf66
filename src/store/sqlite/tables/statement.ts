// Prepared statements as this room uses them: values by position in, rows as arrays out.

import type { DatabaseSync } from 'node:sqlite';

export type Cell = null | number | string | Uint8Array;

/** Cells in the order of the select list. The decoders cast them to what the schema says. */
export type Row = readonly Cell[];

export interface Statement {
  run(...values: Cell[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  get(...values: Cell[]): Row | undefined;
  all(...values: Cell[]): readonly Row[];
  iterate(...values: Cell[]): IterableIterator<Row>;
}

export function prepare(db: DatabaseSync, sql: string): Statement {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as Statement;
}

/** Most lists are empty, and are stored as null. */
export function listToCell(list: readonly (string | number)[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

export function cellToNumbers(cell: Cell | undefined): readonly number[] {
  return typeof cell === 'string' ? (JSON.parse(cell) as number[]) : [];
}

export function cellToTexts(cell: Cell | undefined): readonly string[] {
  return typeof cell === 'string' ? (JSON.parse(cell) as string[]) : [];
}
