// What the methods need to know of one column of a decision matrix. Columns are typed arrays that
// may be longer than the matrix has rows: `rows` counts. Values are finite and not negative.

export interface ColumnFigures {
  min: number;
  max: number;
  mean: number;
  /**
   * The deviation of x from the mean is `(x - pivot) - offset`. For a column of nearly equal values
   * the pivot is the minimum, so that the small difference keeps its digits.
   */
  pivot: number;
  offset: number;
}

export function emptyFigures(): ColumnFigures {
  return { min: 0, max: 0, mean: 0, pivot: 0, offset: 0 };
}

/** Writes into `figures` rather than making an object: it runs after every heartbeat. */
export function measure(column: Float64Array, rows: number, figures: ColumnFigures): void {
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  let sum = 0;
  for (let row = 0; row < rows; row++) {
    const x = column[row]!;
    if (x < min) min = x;
    if (x > max) max = x;
    sum += x;
  }
  figures.min = min;
  figures.max = max;
  figures.pivot = 0;
  figures.offset = sum < Number.POSITIVE_INFINITY ? sum / rows : meanOfHuge(column, rows);
  if (max - min < nearlyEqual * max) {
    figures.pivot = min;
    figures.offset = meanAbove(column, rows, min);
  }
  figures.mean = figures.pivot + figures.offset;
}

/** Relative spread below which deviations are taken from the minimum. */
const nearlyEqual = 1e-3;

function meanAbove(column: Float64Array, rows: number, pivot: number): number {
  let sum = 0;
  for (let row = 0; row < rows; row++) sum += column[row]! - pivot;
  return sum / rows;
}

/** The sum has left the range of binary64, the mean has not. */
function meanOfHuge(column: Float64Array, rows: number): number {
  let mean = 0;
  for (let row = 0; row < rows; row++) mean += column[row]! / rows;
  return mean;
}
