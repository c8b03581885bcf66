// A series as the lines of a chart: gaps are gaps.

export interface ChartBox {
  readonly width: number;
  readonly height: number;
  /** At the top; the bottom is 0. */
  readonly most: number;
}

/** `d` of an SVG path. A single point between gaps is a short stroke, so that it is seen. */
export function seriesPath(
  values: readonly (number | null)[],
  { width, height, most }: ChartBox,
): string {
  const step = values.length < 2 ? width : width / (values.length - 1);
  let path = '';
  let isDown = false;
  for (const [place, value] of values.entries()) {
    if (value === null) {
      isDown = false;
      continue;
    }
    const x = place * step;
    const y = height * (1 - Math.min(most, Math.max(0, value)) / most);
    const isAlone = !isDown && (values[place + 1] ?? null) === null;
    path += `${isDown ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}${isAlone ? 'h2' : ''}`;
    isDown = true;
  }
  return path;
}

/** The newest that was told, the least and the most; null: nothing was. */
export function rangeOf(
  values: readonly (number | null)[],
): { readonly last: number; readonly least: number; readonly most: number } | null {
  const told = values.filter((value) => value !== null);
  const last = told.at(-1);
  return last === undefined ? null : { last, least: Math.min(...told), most: Math.max(...told) };
}
