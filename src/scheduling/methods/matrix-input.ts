// Input of the bare methods: takes rows as a caller has them, and makes checked columns.

import { type Method, scoreColumns } from './method.ts';

export type Matrix = ArrayLike<ArrayLike<number>>;

/** The scores of a bare method, for input that has not been checked. */
export function scoreMatrix(
  method: Method,
  matrix: Matrix,
  weights: ArrayLike<number>,
  types: ArrayLike<number>,
): number[] {
  const columns = toColumns(matrix);
  checkTypes(types, columns.length);
  const normalised = toWeights(weights, columns.length);
  return scoreColumns(method, columns, normalised, types, matrix.length);
}

/** Columns of `matrix`; a RangeError names row and column, from 0, of a value that does not fit. */
export function toColumns(matrix: Matrix): Float64Array[] {
  const rows = matrix.length;
  const width = rows === 0 ? 0 : rowAt(matrix, 0).length;
  const columns = Array.from({ length: width }, () => new Float64Array(rows));
  for (let row = 0; row < rows; row++) {
    const values = rowAt(matrix, row);
    if (values.length !== width) {
      throw new RangeError(
        `row ${row} has ${values.length} columns, row 0 has ${width}: column ${Math.min(values.length, width)} is missing or extra`,
      );
    }
    for (let column = 0; column < width; column++) {
      const value = values[column];
      checkValue(value, `row ${row}, column ${column}`);
      columns[column]![row] = value;
    }
  }
  return columns;
}

/** Weights divided by their sum; all zero when all are zero. */
function toWeights(weights: ArrayLike<number>, width: number): Float64Array {
  checkLength('weights', weights, width);
  let largest = 0;
  for (let column = 0; column < width; column++) {
    const weight = weights[column];
    checkValue(weight, `weights, column ${column}`);
    largest = Math.max(largest, weight);
  }
  const normalised = new Float64Array(width);
  if (largest === 0) return normalised;
  let sum = 0;
  for (let column = 0; column < width; column++) sum += weights[column]! / largest;
  for (let column = 0; column < width; column++) {
    normalised[column] = weights[column]! / largest / sum;
  }
  return normalised;
}

/** `1` is a benefit, `-1` a cost. */
function checkTypes(types: ArrayLike<number>, width: number): void {
  checkLength('types', types, width);
  for (let column = 0; column < width; column++) {
    if (types[column] !== 1 && types[column] !== -1) {
      throw new RangeError(
        `types, column ${column}: ${String(types[column])} is neither 1 (benefit) nor -1 (cost)`,
      );
    }
  }
}

export function checkValue(value: unknown, place: string): asserts value is number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new RangeError(`${place}: ${String(value)} is not a finite number`);
  }
  if (value < 0) throw new RangeError(`${place}: ${value} is negative`);
}

function rowAt(matrix: Matrix, row: number): ArrayLike<number> {
  const values: unknown = matrix[row];
  if (Array.isArray(values) || ArrayBuffer.isView(values)) {
    return values as unknown as ArrayLike<number>;
  }
  throw new RangeError(`row ${row}, column 0: the row is not an array of numbers`);
}

function checkLength(name: string, array: ArrayLike<number>, width: number): void {
  if (array.length !== width) {
    throw new RangeError(
      `${name} has ${array.length} entries for ${width} columns: column ${Math.min(array.length, width)} is missing or extra`,
    );
  }
}
