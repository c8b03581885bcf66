// How the values of a column are stored. Null is null in every kind.

import { decodeText, encodeText } from '../driver/text.ts';
import type { Cell } from '../driver/statement.ts';

export interface Kind<T> {
  /** The type of the column. */
  readonly sql: string;
  encode(value: T): Cell;
  decode(cell: Cell): T;
}

/** A text from outside, or one that never needs to be searched for. */
export function text<T extends string = string>(): Kind<T> {
  return {
    sql: 'text',
    encode: encodeText,
    decode: (cell) => decodeText(cell as string) as T,
  };
}

/** A whole number below 2^53. */
export const integer: Kind<number> = plain('bigint');

/** A whole number below 2^31. */
export const small: Kind<number> = plain('integer');

/** A time in milliseconds, a duration, a measure. It comes back to the last bit. */
export const real: Kind<number> = plain('double precision');

export const flag: Kind<boolean> = plain('boolean');

/** The driver gives a `Buffer`, which only few take for what it is. */
export const bytes: Kind<Uint8Array> = {
  sql: 'bytea',
  encode: (value) => value,
  decode: (cell) => {
    const { buffer, byteOffset, byteLength } = cell as Uint8Array;
    return new Uint8Array(buffer, byteOffset, byteLength);
  },
};

/** Small enough to be read whole; nothing is searched in it. PostgreSQL's own type refuses what JSON may hold. */
export function json<T>(): Kind<T> {
  return {
    sql: 'text',
    encode: (value) => encodeText(JSON.stringify(value)),
    decode: (cell) => JSON.parse(decodeText(cell as string)) as T,
  };
}

/** One of a few names, stored as its place in the list. Lists only grow at the end. */
export function oneOf<T extends string>(names: readonly T[]): Kind<T> {
  const codes = new Map(names.map((name, code) => [name, code]));
  return {
    sql: 'smallint',
    encode: (name) => codes.get(name)!,
    decode: (code) => names[code as number]!,
  };
}

function plain<T extends Exclude<Cell, null>>(sql: string): Kind<T> {
  return { sql, encode: (value) => value, decode: (cell) => cell as T };
}
