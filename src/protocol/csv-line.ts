// A row as comma-separated values (RFC 4180).

export type CsvCell = string | number | boolean | null;

/** Ends with its line break. Numbers are written as JavaScript writes them, null as nothing. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(fieldOf).join(',')}\r\n`;
}

function fieldOf(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  // A spreadsheet would run a text that begins so, also with the wide signs of East Asia; names come from others.
  const text = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
