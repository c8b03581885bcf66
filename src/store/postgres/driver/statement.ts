// Statements as this room passes them about: text with places `$1`, `$2`, values, rows as arrays out.

/** A value as the driver takes it; an array is a column of rows. */
export type Value = Cell | readonly Cell[];

/** A value as the driver gives it: numbers for every number, `Uint8Array` for bytes. */
export type Cell = null | number | string | boolean | Uint8Array;

/** Cells in the order of the select list. The decoders cast them to what the schema says. */
export type Row = readonly Cell[];

export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/** Runs a statement; throws `StoreFault`. */
export type Query = (text: string, values?: readonly Value[]) => Promise<readonly Row[]>;

/** The names of texts under which the server keeps them prepared; texts are few, and written in this program. */
const names = new Map<string, string>();

export function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) names.set(text, (name = `muster_${names.size + 1}`));
  return name;
}
