// The two databases of a move.

import { StoreFault } from '../store.ts';
import type { MovedFacts, MovedRow, MovedTable } from './moved-tables.ts';

/** Where reading a table goes on: the key of the row read last, as its database has it. */
export type Place = readonly (number | string)[];

/** How much is read or written at a time: rows, unless their values are large. */
export interface Bounds {
  readonly rows: number;
  readonly bytes: number;
}

export interface Page {
  readonly rows: readonly MovedRow[];
  /** About as many as the values have. */
  readonly bytes: number;
  /** Null: there are no more rows. */
  readonly next: Place | null;
}

/** How far a move has come. It is kept in the target, and written together with each batch. */
export interface Half {
  /** The source as it was given to the command, without a password. */
  readonly from: string;
  /** What the source was like when the move began; another one: it has changed since. */
  readonly mark: string;
  /** Which table is being written; null: all are. */
  readonly table: string | null;
  /** What of it is there; null: nothing. */
  readonly after: Place | null;
  readonly rows: number;
  readonly bytes: number;
}

/** Every method throws `StoreFault`. */
export interface MoveSide {
  /** As it is given to the command, without a password. */
  readonly address: string;
  /** The same for every name of the same database. */
  readonly identity: string;
  readFacts(): Promise<MovedFacts>;
  /** Rows that can be seen, behind `after` in an order of its own. */
  readPage(table: MovedTable, after: Place | null, bounds: Bounds): Promise<Page>;
  /** Resolves when nobody else has written. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** Before anything of the target is touched. */
export function refuseSame(source: string | undefined, target: string, address: string): void {
  if (source !== target) return;
  throw new StoreFault('store_occupied', `${address} is the same database by another name.`);
}

/** Nobody else works on it as long as it is open, and nothing in it is changed. */
export interface MoveSource extends MoveSide {
  /** Looks for damage; `tell` hears how many values were looked at. Returns sentences about what was found. */
  findDamage(tell: (values: number) => void): Promise<readonly string[]>;
}

/** Nobody else can open it from `begin` to `finish`, whatever happens in between. */
export interface MoveTarget extends MoveSide {
  /** Undefined: nothing is there yet. */
  readHalf(): Promise<Half | undefined>;
  begin(half: Half, facts: MovedFacts): Promise<void>;
  /** All of it durably, or nothing. `half` says how far the move is then. */
  write(table: MovedTable, rows: readonly MovedRow[], half: Half): Promise<void>;
  /** From now on a coordinator can work on it. */
  finish(): Promise<void>;
}
