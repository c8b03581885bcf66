// What holds for every matrix.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aras, edas, entropyWeights, mabac, smoothWrr } from '../index.ts';

interface Problem {
  readonly matrix: number[][];
  readonly weights: number[];
  readonly types: number[];
}

/**
 * Small whole numbers among the values: ties, zeros and constant columns come up often. No two
 * values differ in the last bits only: a change of unit would make them equal.
 */
const value = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.integer({ min: 0, max: 10_000_000 }).map((thousandths) => thousandths / 1_000),
);
const factor = fc.constantFrom(1e-6, 0.1, 3, 1_024, 7e5);

const problem: fc.Arbitrary<Problem> = fc
  .record({ rows: fc.integer({ min: 1, max: 8 }), columns: fc.integer({ min: 1, max: 6 }) })
  .chain(({ rows, columns }) =>
    fc.record({
      matrix: arrayOf(arrayOf(value, columns), rows),
      weights: arrayOf(fc.integer({ min: 0, max: 9 }), columns),
      types: arrayOf(fc.constantFrom(1, -1), columns),
    }),
  );

describe.each(Object.entries({ edas, aras, mabac }))('%s', (_, method) => {
  test('permuting the workers permutes the scores', () => {
    fc.assert(
      fc.property(problem, fc.integer(), ({ matrix, weights, types }, seed) => {
        const order = shuffled(matrix.length, seed);
        const scores = method(matrix, weights, types);
        const permuted = method(
          order.map((row) => matrix[row]!),
          weights,
          types,
        );
        const expected = order.map((row) => scores[row]!);
        expect(distance(permuted, expected)).toBeLessThan(1e-9);
      }),
    );
  });

  test('the unit of a column does not matter', () => {
    fc.assert(
      fc.property(problem, factor, fc.nat(), ({ matrix, weights, types }, unit, index) => {
        const column = index % weights.length;
        const scaled = matrix.map((row) => row.map((x, at) => (at === column ? x * unit : x)));
        expect(
          distance(method(scaled, weights, types), method(matrix, weights, types)),
        ).toBeLessThan(1e-9);
      }),
    );
  });

  test('scaling all weights does not matter', () => {
    fc.assert(
      fc.property(problem, factor, ({ matrix, weights, types }, scale) => {
        const scaled = weights.map((weight) => weight * scale);
        expect(
          distance(method(matrix, scaled, types), method(matrix, weights, types)),
        ).toBeLessThan(1e-9);
      }),
    );
  });

  test('a dominated worker is never ahead of the one that dominates it', () => {
    fc.assert(
      fc.property(problem, fc.nat(), value, ({ matrix, weights, types }, index, lead) => {
        const column = index % weights.length;
        const dominated = matrix[0]!;
        const dominating = dominated.map((x, at) => {
          if (at !== column) return x;
          return types[column] === 1 ? x + lead : Math.max(0, x - lead);
        });
        const [behind = 0, ...rest] = method([...matrix, dominating], weights, types);
        expect(rest.at(-1)).toBeGreaterThanOrEqual(behind - 1e-12);
      }),
    );
  });

  test('scores are finite, and those of edas and aras lie in 0 to 1', () => {
    fc.assert(
      fc.property(problem, ({ matrix, weights, types }) => {
        for (const score of method(matrix, weights, types)) {
          expect(Number.isFinite(score)).toBe(true);
          if (method === mabac) continue;
          expect(score).toBeGreaterThanOrEqual(-1e-12);
          expect(score).toBeLessThanOrEqual(1 + 1e-12);
        }
      }),
    );
  });
});

test('entropy weights sum to 1 and do not depend on units or on the order of workers', () => {
  fc.assert(
    fc.property(problem, factor, fc.integer(), ({ matrix }, unit, seed) => {
      const weights = entropyWeights(matrix);
      expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
      const changed = shuffled(matrix.length, seed).map((row) => matrix[row]!.map((x) => x * unit));
      expect(distance(entropyWeights(changed), weights)).toBeLessThan(1e-9);
    }),
  );
});

test('smooth wrr gives exact shares in every full cycle of integer weights', () => {
  const weights = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(weights, fc.integer({ min: 1, max: 3 }), (given, cycles) => {
      const cycle = given.reduce((sum, weight) => sum + weight, 0);
      fc.pre(cycle > 0);
      const sequence = smoothWrr(given, cycle * cycles);
      for (let from = 0; from < sequence.length; from += cycle) {
        const turns = sequence.slice(from, from + cycle);
        expect(given.map((_, row) => turns.filter((pick) => pick === row).length)).toEqual(given);
      }
    }),
  );
});

test('smooth wrr shares converge to the weights, whole numbers or not', () => {
  const weights = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(weights, (given) => {
      const picks = 2_000;
      const total = given.reduce((sum, weight) => sum + weight, 0);
      const sequence = smoothWrr(given, picks);
      given.forEach((weight, row) => {
        const count = sequence.filter((pick) => pick === row).length;
        expect(Math.abs(count - (picks * weight) / total)).toBeLessThan(given.length);
      });
    }),
    { numRuns: 30 },
  );
});

function arrayOf<T>(element: fc.Arbitrary<T>, length: number): fc.Arbitrary<T[]> {
  return fc.array(element, { minLength: length, maxLength: length });
}

function shuffled(length: number, seed: number): number[] {
  const rank = (row: number) => Math.imul(row + 1, seed | 1) >>> 0;
  return Array.from({ length }, (_, row) => row).sort((a, b) => rank(a) - rank(b));
}

/** The largest difference of two entries. */
function distance(actual: number[], expected: number[]): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  return Math.max(...actual.map((score, row) => Math.abs(score - expected[row]!)));
}
