// Writes rows in blocks: one statement for sixteen of them takes two thirds of the time of sixteen
// statements (`bench/store.bench.ts`). The cells of a block are scratch space, used again.

import type { DatabaseSync } from 'node:sqlite';
import { type Cell, prepare, type Statement } from './statement.ts';

const rowsPerBlock = 16;

/** Puts the cells of a row, the `place`th of its list, into `cells` from `offset` on. */
export type Encode<R> = (cells: Cell[], offset: number, row: R, place: number) => void;

export class RowWriter<R> {
  readonly #one: Statement;
  readonly #block: Statement;
  readonly #encode: Encode<R>;
  readonly #width: number;
  readonly #cells: Cell[];
  readonly #blockCells: Cell[];

  /** `conflict` is what follows the values in `insert into … values …`. */
  constructor(
    db: DatabaseSync,
    table: string,
    columns: readonly string[],
    conflict: string,
    encode: Encode<R>,
  ) {
    const places = `(${columns.map(() => '?').join(', ')})`;
    const insert = `insert into ${table} (${columns.join(', ')}) values`;
    this.#one = prepare(db, `${insert} ${places} ${conflict}`);
    const block = Array.from({ length: rowsPerBlock }, () => places).join(', ');
    this.#block = prepare(db, `${insert} ${block} ${conflict}`);
    this.#encode = encode;
    this.#width = columns.length;
    this.#cells = Array.from({ length: columns.length }, () => null);
    this.#blockCells = Array.from({ length: columns.length * rowsPerBlock }, () => null);
  }

  write(rows: readonly R[]): void {
    let place = 0;
    for (; place + rowsPerBlock <= rows.length; place += rowsPerBlock) {
      for (let i = 0; i < rowsPerBlock; i++) {
        this.#encode(this.#blockCells, i * this.#width, rows[place + i]!, place + i);
      }
      this.#block.run(...this.#blockCells);
    }
    for (; place < rows.length; place++) {
      this.#encode(this.#cells, 0, rows[place]!, place);
      this.#one.run(...this.#cells);
    }
    // Large results must not be kept in memory until the next batch.
    this.#cells.fill(null);
    this.#blockCells.fill(null);
  }
}

/** The clause that replaces the whole row; the first column is the primary key. */
export function replaceRow(
  columns: readonly string[],
  kept: Readonly<Record<string, string>> = {},
): string {
  const [key, ...rest] = columns;
  const updates = rest.map((name) => `${name} = ${kept[name] ?? `excluded.${name}`}`);
  return `on conflict (${key}) do update set ${updates.join(', ')}`;
}
