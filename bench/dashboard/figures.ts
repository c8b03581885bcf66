// Figures of many values, and tables of text.

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value that so large a share of all does not exceed; 0 without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function shareOver(values: readonly number[], limit: number): number {
  return values.length === 0 ? 0 : values.filter((value) => value > limit).length / values.length;
}

/** Lines of a table: the first column to the left, numbers to the right. */
export function tableOf(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd(),
  );
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
