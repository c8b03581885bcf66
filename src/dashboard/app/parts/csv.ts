// Rows as comma-separated values (RFC 4180).

import { type CsvCell, csvLine } from '../../../protocol/csv-line.ts';

export { type CsvCell, csvLine };

export function csvOf(head: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [head, ...rows].map(csvLine).join('');
}
