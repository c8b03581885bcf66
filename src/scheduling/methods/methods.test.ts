// The bare methods where the formulas of the papers divide by zero, and where they refuse.

import { describe, expect, test } from 'vitest';
import { aras, edas, entropyWeights, mabac, smoothWrr } from '../index.ts';

const benefit = 1;
const cost = -1;
const methods = { edas, aras, mabac };
const valueOfEquals = { edas: 0.5, aras: 1, mabac: 0 };

describe.each(['edas', 'aras', 'mabac'] as const)('%s', (name) => {
  const method = methods[name];
  const equal = valueOfEquals[name];

  test('scores a single row like rows that do not differ', () => {
    expect(method([[40, 16, 3]], [1, 1, 1], [benefit, benefit, cost])).toEqual([equal]);
  });

  test('scores rows alike when every column is constant, rounding noise or not', () => {
    const row = [0.1, 0.7, 1e-9, 0];
    const scores = method([row, row, row], [0.1, 0.2, 0.3, 0.4], [benefit, cost, benefit, cost]);
    for (const score of scores) expect(score).toBeCloseTo(equal, 14);
  });

  test('takes no information from a column of zeros', () => {
    const types = [benefit, cost, cost, benefit];
    const withZeros = method(
      [
        [80, 0, 10, 0],
        [60, 0, 5, 0],
      ],
      [0.5, 0.2, 0.3, 0],
      types,
    );
    const without = method(
      [
        [80, 10],
        [60, 5],
      ],
      [0.5, 0.3],
      [benefit, cost],
    );
    const share = name === 'mabac' ? 0.8 : 1;
    withZeros.forEach((score, row) => expect(score).toBeCloseTo(without[row]! * share, 12));
  });

  test('scores rows alike when all weights are zero', () => {
    expect(
      method(
        [
          [1, 2],
          [3, 4],
        ],
        [0, 0],
        [1, -1],
      ),
    ).toEqual([equal, equal]);
  });

  test('prefers the zero of a cost column, with finite scores', () => {
    const scores = method([[0], [0.5], [1]], [1], [cost]);
    expect(scores.every(Number.isFinite)).toBe(true);
    expect(scores[0]).toBeGreaterThan(scores[1]!);
    expect(scores[1]).toBeGreaterThan(scores[2]!);
  });

  test('keeps its digits for a nearly constant column and for the ends of the number range', () => {
    const scale = (unit: number) => method([[unit], [unit * 2], [unit * 4]], [1], [benefit]);
    for (const unit of [1e-300, 4e307]) {
      scale(unit).forEach((score, row) => expect(score).toBeCloseTo(scale(1)[row]!, 12));
    }
    const near = method([[1], [1 + Number.EPSILON]], [1], [benefit]);
    expect(near[1]).toBeGreaterThan(near[0]!);
  });

  test('stays finite over 5 000 rows', () => {
    const matrix = Array.from({ length: 5_000 }, (_, row) => [row % 97, 1 + (row % 89)]);
    const scores = method(matrix, [0.5, 0.5], [benefit, cost]);
    expect(scores.every(Number.isFinite)).toBe(true);
    expect(new Set(scores).size).toBeGreaterThan(1_000);
  });

  test('has no scores for no rows', () => {
    expect(method([], [], [])).toEqual([]);
  });

  test('takes rows that are typed arrays', () => {
    const rows = [Float64Array.of(1, 2), Float64Array.of(2, 1)];
    expect(method(rows, Float64Array.of(0.5, 0.5), [benefit, benefit])).toHaveLength(2);
  });

  test.each([
    [
      'a negative value',
      [
        [1, 2],
        [3, -4],
      ],
      [1, 1],
      [1, 1],
      /row 1, column 1: -4 is negative/,
    ],
    ['NaN', [[1, Number.NaN]], [1, 1], [1, 1], /row 0, column 1: NaN is not a finite number/],
    ['infinity', [[Infinity, 1]], [1, 1], [1, 1], /row 0, column 0: Infinity is not a finite/],
    ['text', [['1', 1]], [1, 1], [1, 1], /row 0, column 0: 1 is not a finite number/],
    ['a hole', [[1, 2], [3]], [1, 1], [1, 1], /row 1 has 1 columns, row 0 has 2: column 1/],
    ['a row that is none', [[1, 2], null], [1, 1], [1, 1], /row 1, column 0: .*not an array/],
    ['too few weights', [[1, 2]], [1], [1, 1], /weights has 1 entries for 2 columns: column 1/],
    ['a negative weight', [[1, 2]], [1, -1], [1, 1], /weights, column 1: -1 is negative/],
    ['too many types', [[1, 2]], [1, 1], [1, 1, 1], /types has 3 entries for 2 columns: column 2/],
    ['an unknown type', [[1, 2]], [1, 1], [1, 0], /types, column 1: 0 is neither/],
  ])('refuses %s by row and column', (_, matrix, weights, types, message) => {
    const call = () => method(matrix as number[][], weights, types);
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});

test('edas keeps what little a column differs by', () => {
  expect(edas([[1], [1 + Number.EPSILON]], [1], [benefit])).toEqual([0, 1]);
});

test('mabac does not underflow where the product of the paper does', () => {
  // v = 0.1875 in every row but one: the direct product is 0 from 500 rows on.
  const matrix = Array.from({ length: 1_000 }, (_, row) => [row === 0 ? 1 : row === 1 ? 0 : 0.5]);
  const scores = mabac(matrix, [1], [benefit]);
  const border = Math.exp((Math.log(2) + 998 * Math.log(1.5)) / 1_000);
  expect(scores[2]).toBeCloseTo(1.5 - border, 12);
});

describe('entropyWeights', () => {
  test('are equal for one row, for constant columns and for columns of zeros', () => {
    expect(entropyWeights([[1, 2, 3, 4]])).toEqual([0.25, 0.25, 0.25, 0.25]);
    const constant = [0.1, 0];
    expect(entropyWeights([constant, constant, constant])).toEqual([0.5, 0.5]);
  });

  test('are exactly 0 for a constant column beside one that varies', () => {
    const matrix = [0.1, 0.2, 0.3].map((value) => [0.1, value, 0]);
    expect(entropyWeights(matrix)).toEqual([0, 1, 0]);
  });

  test('give more to the column that varies more', () => {
    const [little = 0, much = 0] = entropyWeights([
      [10, 1],
      [11, 9],
    ]);
    expect(much).toBeGreaterThan(little);
    expect(much + little).toBeCloseTo(1, 15);
  });

  test('keep their digits where 1 - e has lost them all', () => {
    // Two values 1 and 1 + s lie s / (2 + s) of their mean from it, and d goes with its square.
    const [s, t] = [7 * 2 ** -27, 3 * 2 ** -27];
    const weights = entropyWeights([
      [1, 1],
      [1 + s, 1 + t],
    ]);
    const [ds, dt] = [(s / (2 + s)) ** 2, (t / (2 + t)) ** 2];
    expect(weights[0]).toBeCloseTo(ds / (ds + dt), 13);
    expect(weights[1]).toBeCloseTo(dt / (ds + dt), 13);
  });

  test('take a zero for what it is: 0 ln 0 = 0', () => {
    // p = (0, 1): e = 0, d = 1. p = (1/4, 3/4): e = 0.8113, d = 0.1887.
    const weights = entropyWeights([
      [0, 1],
      [5, 3],
    ]);
    expect(weights[0]).toBeCloseTo(1 / 1.188721875540867, 12);
  });

  test('refuse negative values by row and column', () => {
    expect(() => entropyWeights([[1], [-1]])).toThrow(/row 1, column 0: -1 is negative/);
    expect(entropyWeights([])).toEqual([]);
  });
});

describe('smoothWrr', () => {
  test('gives nothing to weight 0, and turns to all when all are 0', () => {
    expect(smoothWrr([0, 1, 0], 3)).toEqual([1, 1, 1]);
    expect(smoothWrr([0, 0, 0], 4)).toEqual([0, 1, 2, 0]);
  });

  test('takes decimals like the integers they stand for', () => {
    expect(smoothWrr([0.3, 0.1], 40)).toEqual(smoothWrr([3, 1], 40));
    expect(smoothWrr([1e308, 1e308], 4)).toEqual([0, 1, 0, 1]);
  });

  test('refuses what cannot be picked from', () => {
    expect(smoothWrr([], 0)).toEqual([]);
    expect(() => smoothWrr([], 1)).toThrow(RangeError);
    expect(() => smoothWrr([1], -1)).toThrow(/picks: -1/);
    expect(() => smoothWrr([1], 1.5)).toThrow(/picks: 1.5/);
    expect(() => smoothWrr([1, Number.NaN], 1)).toThrow(/weights, row 1: NaN/);
    expect(() => smoothWrr([1, -2], 1)).toThrow(/weights, row 1: -2 is negative/);
  });
});
