// How a column of the one form becomes columns of the other.

import type { MovedCell, MovedKind } from '../../move/moved-tables.ts';
import type { Cell } from '../tables/statement.ts';

/** A cell from others. `from` are expressions of SQL on the way out, names of moved columns on the way in. */
export interface Making<In, Out> {
  readonly from: readonly string[];
  readonly make: (...cells: In[]) => Out;
}

/** A column of the moved form, from what is stored. */
export type Read = Making<Cell, MovedCell>;
/** A stored column, from the moved form. */
export type Written = Making<MovedCell, Cell>;

export function read(from: readonly string[], make: Read['make']): Read {
  return { from, make };
}

export function written(from: readonly string[], make: Written['make']): Written {
  return { from, make };
}

/** Lists: most are empty, and stored as null. */
export function readList(name: string): Read {
  return read([name], (cell) => cell ?? '[]');
}

export function writtenList(name: string): Written {
  return written([name], (cell) => (cell === '[]' ? null : (cell as string)));
}

export function sameOut(name: string, kind: MovedKind): Read {
  return kind === 'flag' ? read([name], (cell) => cell === 1) : read([name], (cell) => cell!);
}

export function sameIn(name: string): Written {
  return written([name], (cell) => (typeof cell === 'boolean' ? Number(cell) : cell!));
}
