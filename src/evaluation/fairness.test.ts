import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { coefficientOfVariation, jainsIndex } from './fairness.ts';

// "J = (sum x_i)^2 / (n * sum x_i^2) … near 1 means balanced, near 0 means unequal"
describe("Jain's index", () => {
  test.each([
    [[4, 4, 4, 4], 1],
    [[1, 0, 0, 0], 0.25],
    // 6² / (3 · 14) = 36 / 42
    [[1, 2, 3], 0.857142857],
    // 100² / (4 · (50² + 30² + 20² + 0²)) = 10 000 / 15 200
    [[50, 30, 20, 0], 0.657894737],
    [[7], 1],
  ])('of %j is %f', (loads, index) => {
    expect(jainsIndex(loads)).toBeCloseTo(index, 9);
  });

  test('is null where there is no load', () => {
    expect(jainsIndex([])).toBeNull();
    expect(jainsIndex([0, 0])).toBeNull();
  });

  test('lies between 1/n and 1', () => {
    fc.assert(
      fc.property(loads, (xs) => {
        const index = jainsIndex(xs);
        if (index === null) {
          expect(xs.every((x) => x === 0)).toBe(true);
          return;
        }
        expect(index).toBeGreaterThanOrEqual(1 / xs.length);
        expect(index).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('does not depend on the order of the workers', () => {
    fc.assert(
      fc.property(loads, (xs) => {
        // Sums of whole numbers are exact in any order.
        expect(jainsIndex(xs.toReversed())).toBe(jainsIndex(xs));
        expect(jainsIndex(xs.toSorted((a, b) => a - b))).toBe(jainsIndex(xs));
      }),
    );
  });

  test('is 1 / (1 + V²) where V is the coefficient of variation', () => {
    fc.assert(
      fc.property(loads, (xs) => {
        const variation = coefficientOfVariation(xs);
        const index = jainsIndex(xs);
        if (variation === null) expect(index).toBeNull();
        else expect(index).toBeCloseTo(1 / (1 + variation ** 2), 9);
      }),
    );
  });
});

describe('the coefficient of variation', () => {
  test('of 2 4 4 4 5 5 7 9 is 0.4: mean 5, deviation 2', () => {
    expect(coefficientOfVariation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(0.4, 12);
  });

  test('is 0 for equal loads and null where there is no load', () => {
    expect(coefficientOfVariation([3, 3])).toBe(0);
    expect(coefficientOfVariation([0])).toBeNull();
    expect(coefficientOfVariation([])).toBeNull();
  });
});

const loads = fc.array(fc.nat(1_000_000), { maxLength: 50 });
