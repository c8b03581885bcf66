// Walks over every row of a table in the order of its primary key, a slice at a time: so each page is read
// once, and other work waits for a slice at most. Rows that cannot be read are passed over, as far as the
// key is a number.

import type { DatabaseSync } from 'node:sqlite';
import { isCorrupt } from '../file/faults.ts';
import { type Cell, prepare, type Row, type Statement } from '../tables/statement.ts';

const rowsPerSlice = 512;
const msPerSlice = 5;

export interface TableVisitor {
  /** `columns` names the places of the cells. */
  row(cells: Row): void;
  /** Rows after this key could not be read, or came out of order. */
  unreadable(after: Cell): void;
}

export class TableWalk {
  readonly columns: readonly string[];
  readonly #read: Statement;
  readonly #keyPlaces: readonly number[];
  readonly #hasNumberKey: boolean;
  #after: readonly Cell[];
  /** How far the next try reaches, while nothing can be read. */
  #leap = 0;

  constructor(db: DatabaseSync, table: string) {
    const info = db.prepare('select name, type, pk from pragma_table_info(?)').all(table);
    this.columns = info.map(({ name }) => String(name));
    const keys = info.filter(({ pk }) => Number(pk) > 0);
    keys.sort((one, other) => Number(one.pk) - Number(other.pk));
    this.#keyPlaces = keys.map((column) => info.indexOf(column));
    this.#hasNumberKey = keys.length === 1 && keys[0]!.type === 'INTEGER';
    const names = keys.map(({ name }) => String(name)).join(', ');
    const places = keys.map(() => '?').join(', ');
    this.#after = keys.map(({ type }) => (type === 'TEXT' ? '' : Number.MIN_SAFE_INTEGER));
    this.#read = prepare(
      db,
      `select ${this.columns.join(', ')} from ${table} where (${names}) > (${places})
        order by ${names} limit ${rowsPerSlice}`,
    );
  }

  /** False at the end. */
  step(visitor: TableVisitor): boolean {
    const beganAt = performance.now();
    let rows = 0;
    try {
      for (const cells of this.#read.iterate(...this.#after)) {
        const key = this.#keyPlaces.map((place) => cells[place]!);
        if (this.#hasNumberKey && key[0]! <= this.#after[0]!) throw new OutOfOrder();
        this.#after = key;
        this.#leap = 0;
        rows++;
        visitor.row(cells);
        if (performance.now() - beganAt > msPerSlice) return true;
      }
      return rows === rowsPerSlice;
    } catch (error) {
      if (!isCorrupt(error) && !(error instanceof OutOfOrder)) throw error;
      if (this.#leap === 0) visitor.unreadable(this.#after[0]!);
      return this.#leapOver();
    }
  }

  #leapOver(): boolean {
    const key = this.#after[0];
    if (!this.#hasNumberKey || typeof key !== 'number') return false;
    this.#leap = Math.max(1, this.#leap * 2);
    const next = Math.max(key, 0) + this.#leap;
    if (next > Number.MAX_SAFE_INTEGER) return false;
    this.#after = [next];
    return true;
  }
}

/** A page of the file lies where another one belongs. */
class OutOfOrder extends Error {}
