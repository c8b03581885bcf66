// What a row looks like in its table: from one declaration come the column names, the values of a statement,
// and the way back. Many rows are one statement, with an array for each column.

import type { Cell, Row, Statement, Value } from '../driver/statement.ts';
import type { Kind } from './kinds.ts';

type Kinds<R> = { readonly [K in keyof R]-?: Kind<NonNullable<R[K]>> };

export class RowShape<R extends object> {
  readonly fields: readonly (keyof R & string)[];
  readonly #kinds: readonly Kind<unknown>[];
  readonly #names: readonly string[];

  /** The columns have the names of the fields, in small letters with underscores; `index` is `task_index`. */
  constructor(kinds: Kinds<R>) {
    this.fields = Object.keys(kinds) as (keyof R & string)[];
    this.#kinds = this.fields.map((field) => kinds[field] as Kind<unknown>);
    this.#names = this.fields.map(columnName);
  }

  /** The columns in their order, for a select list or an insert; with the name of a table before each. */
  columns(table?: string): string {
    if (table === undefined) return this.#names.join(', ');
    return this.#names.map((name) => `${table}.${name}`).join(', ');
  }

  /** `unnest($1::bigint[], …) as alias(key, …)`, whose values are `arrays(rows)`. */
  unnest(alias: string, first = 1): string {
    const places = this.#kinds.map((kind, place) => `$${first + place}::${kind.sql}[]`);
    return `unnest(${places.join(', ')}) as ${alias}(${this.columns()})`;
  }

  /** The number of the first place after those of `unnest`. */
  next(first = 1): number {
    return first + this.fields.length;
  }

  /** `name = excluded.name` for all columns but the given ones. */
  replaced(except: readonly (keyof R & string)[]): string {
    return this.copied('excluded', except);
  }

  /** `name = alias.name` for all columns but the given ones. */
  copied(alias: string, except: readonly (keyof R & string)[]): string {
    const kept = new Set(except.map(columnName));
    const names = this.#names.filter((name) => !kept.has(name));
    return names.map((name) => `${name} = ${alias}.${name}`).join(', ');
  }

  /** An array for each column. */
  arrays(rows: readonly R[]): Value[] {
    return this.fields.map((field, place) => {
      const kind = this.#kinds[place]!;
      return rows.map((row): Cell => {
        const value = row[field];
        return value === null || value === undefined ? null : kind.encode(value);
      });
    });
  }

  /** The row whose cells begin at `offset`. */
  decode(cells: Row, offset = 0): R {
    const row: Record<string, unknown> = {};
    for (let place = 0; place < this.fields.length; place++) {
      const cell = cells[offset + place]!;
      row[this.fields[place]!] = cell === null ? null : this.#kinds[place]!.decode(cell);
    }
    return row as R;
  }
}

export function columnName(field: string): string {
  if (field === 'index') return 'task_index';
  return field.replaceAll(/[A-Z0-9]+/g, (found) =>
    /\d/.test(found) ? found : `_${found.toLowerCase()}`,
  );
}

/**
 * The statements that write the rows one after the other, though each takes many: a statement may not write a
 * row twice, so of rows with the same key each goes into a statement of its own. Nearly always it is one.
 */
export function inLayers<R>(
  rows: readonly R[],
  keyOf: (row: R) => number | string,
  write: (rows: readonly R[]) => Statement,
): Statement[] {
  if (rows.length === 0) return [];
  const seen = new Map<number | string, number>();
  const layers: R[][] = [];
  for (const row of rows) {
    const key = keyOf(row);
    const layer = seen.get(key) ?? 0;
    seen.set(key, layer + 1);
    (layers[layer] ??= []).push(row);
  }
  return layers.map(write);
}
