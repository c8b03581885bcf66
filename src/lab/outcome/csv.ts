// A line of CSV. Names come from others: no cell is taken for a formula by a sheet.

export function csvLine(cells: readonly (string | number | null)[]): string {
  return cells.map(cell).join(',');
}

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
