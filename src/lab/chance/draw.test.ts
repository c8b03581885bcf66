import { describe, expect, test } from 'vitest';
import { draw, type Drawn } from './draw.ts';
import { normalQuantile } from './normal.ts';
import { streamOf } from './stream.ts';

const count = 20_000;

function sample(amount: Drawn): readonly number[] {
  const stream = streamOf(7, 'a test');
  return Array.from({ length: count }, () => draw(amount, stream));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}

describe('normalQuantile', () => {
  // From tables of the distribution with more digits than a double has.
  test.each([
    [0.5, 0],
    [0.25, -0.6744897501960817],
    [0.001, -3.090232306167813],
    [0.975, 1.959963984540054],
    [1e-20, -9.26234008979841],
  ])('Φ⁻¹(%d) is %d', (p, x) => {
    expect(normalQuantile(p)).toBeCloseTo(x, 12);
  });

  test('is symmetric', () => {
    for (const p of [0.01, 0.1, 0.3]) expect(normalQuantile(1 - p)).toBeCloseTo(-normalQuantile(p));
  });
});

describe('draw', () => {
  test.each<[string, Drawn, number, number]>([
    ['uniform', { uniform: [2, 6] }, 4, 4 / Math.sqrt(12)],
    ['normal', { normal: { mean: 10, cv: 0.2 } }, 10, 2],
    ['log-normal', { log_normal: { mean: 10, cv: 0.5 } }, 10, 5],
    ['exponential', { exponential: { mean: 3 } }, 3, 3],
    ['Pareto', { pareto: { least: 1, alpha: 6 } }, 1.2, Math.sqrt(6 / 4) / 5],
    ['one of several', { one_of: [1, 1, 4] }, 2, Math.SQRT2],
  ])('%s amounts have their mean and deviation', (_, amount, expected, spread) => {
    const values = sample(amount);
    expect(Math.abs(mean(values) - expected)).toBeLessThan((4 * spread) / Math.sqrt(count));
    expect(deviation(values) / spread).toBeGreaterThan(0.9);
    expect(deviation(values) / spread).toBeLessThan(1.1);
  });

  test('bounds are kept, and nothing is negative or heaped up at them', () => {
    const values = sample({ normal: { mean: 1, cv: 2 }, at_most: 3 });
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...values)).toBeLessThanOrEqual(3);
    expect(new Set(values).size).toBeGreaterThan(count - 5);
    const least = Math.min(...sample({ log_normal: { mean: 1, cv: 1 }, at_least: 0.5 }));
    expect(least).toBeGreaterThanOrEqual(0.5);
    expect(least).toBeLessThan(0.501);
  });

  // Means of truncated distributions: Johnson, Kotz, Balakrishnan, Continuous Univariate Distributions 1, 10.1 and 20.3.
  test.each<[string, Drawn, number, number]>([
    // φ and Φ at -1: 10 + 10 φ(1) / Φ(1).
    ['normal', { normal: { mean: 10, cv: 1 }, at_least: 0 }, 12.876, 7.94],
    // Density ∝ x⁻² on [1, 10]: ln 10 / 0.9.
    ['Pareto', { pareto: { least: 1, alpha: 1 }, at_most: 10 }, Math.LN10 / 0.9, 1.858],
  ])(
    '%s amounts within bounds have the mean of the truncated distribution',
    (_, amount, expected, spread) => {
      expect(Math.abs(mean(sample(amount)) - expected)).toBeLessThan(
        (4 * spread) / Math.sqrt(count),
      );
    },
  );

  test('takes one number of the stream for each amount, a constant none', () => {
    const [one, other] = [streamOf(1, 'x'), streamOf(1, 'x')];
    draw({ log_normal: { mean: 1, cv: 1 } }, one);
    draw(5, one);
    other.next();
    expect(one.next()).toBe(other.next());
  });
});

describe('streamOf', () => {
  test('is the same for the same names, and another for others', () => {
    expect(streamOf(1, 'a', 2).next()).toBe(streamOf(1, 'a', 2).next());
    expect(streamOf(1, 'a', 2).next()).not.toBe(streamOf(1, 'a', 3).next());
    expect(streamOf(1, 'a').next()).not.toBe(streamOf(2, 'a').next());
  });
});
