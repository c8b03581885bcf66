// Results as a table, where they are flat: each a plain value, or an object of plain values.

import type { TaskResult } from '../../../../protocol/resources.ts';
import { type CsvCell, csvLine } from '../../parts/csv.ts';

/** Null: they are no table. */
export type ResultColumns = readonly string[] | null;

/** The one column of results that are plain values. */
const plainColumn = 'value';
const mostColumns = 200;
const ownColumns: ReadonlySet<string> = new Set(['index', 'status', 'error']);

/** The columns of these results, in the order in which they first come. */
export function columnsOf(results: readonly TaskResult[]): ResultColumns {
  const names = new Set<string>();
  for (const result of results) {
    if (result.status !== 'completed') continue;
    const { value } = result;
    if (isPlain(value)) names.add(plainColumn);
    else if (isFlat(value)) for (const name of Object.keys(value)) names.add(name);
    else return null;
  }
  return names.size === 0 || names.size > mostColumns ? null : [...names];
}

function isPlain(value: unknown): value is CsvCell | undefined {
  return value === null || typeof value !== 'object';
}

function isFlat(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isPlain)
  );
}

/** Its index, its status, its values and its error as a line. */
export function resultLine(result: TaskResult, columns: readonly string[]): string {
  const value = result.status === 'completed' ? result.value : undefined;
  const values = columns.map((name): CsvCell => {
    if (isPlain(value)) return name === plainColumn ? (value ?? null) : null;
    const flat = value as Readonly<Record<string, CsvCell>>;
    return Object.hasOwn(flat, name) ? flat[name]! : null;
  });
  const error =
    result.status === 'completed' ? '' : `${result.error.type}: ${result.error.message}`;
  return csvLine([result.index, result.status, ...values, error]);
}

export function resultHead(columns: readonly string[]): string {
  // When one is called like one of ours all are told apart, as `muster results` does.
  const isLikeOurs = columns.some((name) => ownColumns.has(name));
  const named = isLikeOurs ? columns.map((name) => `value.${name}`) : columns;
  return csvLine(['index', 'status', ...named, 'error']);
}
