// Of many workers the best, the chosen one and the worst are shown: what is between is counted.

export interface ShownRows<Row> {
  /** In their order. */
  readonly rows: readonly Row[];
  readonly leftOut: number;
}

const worst = 3;

/** At most `most`, or one more for the chosen one. `rows`: best first. */
export function shownRows<Row extends { readonly selected: boolean }>(
  rows: readonly Row[],
  most: number,
): ShownRows<Row> {
  if (rows.length <= most) return { rows, leftOut: 0 };
  const best = Math.max(1, most - worst - 1);
  const shown = rows.filter(
    ({ selected }, place) => place < best || selected || place >= rows.length - worst,
  );
  return { rows: shown, leftOut: rows.length - shown.length };
}
