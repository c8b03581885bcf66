import { describe, expect, test } from 'vitest';
import { draw } from '../chance/draw.ts';
import { streamOf } from '../chance/stream.ts';
import { Bootstrap } from './bootstrap.ts';
import { normalCdf } from '../chance/normal-cdf.ts';
import { pairedDifference, ranksOf, shareLess } from './paired.ts';
import { quantileOfSorted } from './quantile.ts';

function sample(size: number, seed: number, mean = 10): readonly number[] {
  const stream = streamOf(seed, 'sample');
  return Array.from({ length: size }, () => draw({ log_normal: { mean, cv: 0.5 } }, stream));
}

test.each([
  [0, 0.5],
  [1.959963984540054, 0.975],
  [-3.090232306167813, 0.001],
  [7, 1],
])('Φ(%d) is %d', (x, p) => {
  expect(normalCdf(x)).toBeCloseTo(p, 10);
});

test('quantiles lie between order statistics', () => {
  const sorted = [1, 2, 4, 8];
  expect(quantileOfSorted(sorted, 0)).toBe(1);
  expect(quantileOfSorted(sorted, 0.5)).toBe(3);
  expect(quantileOfSorted(sorted, 1)).toBe(8);
});

describe('Bootstrap', () => {
  test('the interval holds the true mean about as often as it says', () => {
    const size = 30;
    const bootstrap = new Bootstrap(size, streamOf(1, 'resamples'));
    let held = 0;
    const tries = 200;
    for (let seed = 1; seed <= tries; seed++) {
      const [low, high] = bootstrap.interval(sample(size, seed), 0.95);
      if (low <= 10 && 10 <= high) held++;
    }
    // 95 % of 200 are 190 with a deviation of 3; of skewed samples of 30 somewhat less are known to hold it.
    expect(held).toBeGreaterThanOrEqual(178);
    expect(held).toBeLessThanOrEqual(199);
  });

  test('leans to the side of the long tail', () => {
    const values = [1, 1, 1, 1, 1, 1, 1, 1, 1, 11];
    const [low, high] = new Bootstrap(10, streamOf(1, 'resamples')).interval(values, 0.95);
    expect(high - 2).toBeGreaterThan(2 - low);
  });

  test('what does not vary has no width', () => {
    expect(new Bootstrap(3, streamOf(1, 'x')).interval([5, 5, 5], 0.95)).toEqual([5, 5]);
  });
});

describe('pairs', () => {
  const bootstrap = new Bootstrap(30, streamOf(1, 'resamples'));

  test('a small constant difference is seen through large common changes', () => {
    const values = sample(30, 1);
    const others = values.map((value) => value - 0.1);
    const paired = pairedDifference(values, others, bootstrap, 0.99);
    expect(paired.difference).toBeCloseTo(0.1);
    expect(paired.is_different).toBe(true);
    expect(shareLess(values, others)).toBe(0);
  });

  test('differences that vary by rounding alone have no effect size', () => {
    const values = [0.1, 0.2, 0.3, 0.7, 1.1];
    const others = values.map((value) => value + 0.3);
    const differences = new Set(values.map((value, i) => value - others[i]!));
    expect(differences.size).toBeGreaterThan(1);
    const paired = pairedDifference(values, others, new Bootstrap(5, streamOf(1, 'x')), 0.95);
    expect(paired.effect_size).toBeNull();
  });

  test('a single pair is not told different', () => {
    const paired = pairedDifference([5], [1], new Bootstrap(1, streamOf(1, 'x')), 0.95);
    expect(paired).toMatchObject({ difference: 4, is_different: false, effect_size: null });
  });

  test('two samples of the same are not told different', () => {
    expect(pairedDifference(sample(30, 1), sample(30, 2), bootstrap, 0.99).is_different).toBe(
      false,
    );
  });

  test('equal ones have no effect, and share their ranks', () => {
    const paired = pairedDifference([1, 2, 3], [1, 2, 3], new Bootstrap(3, streamOf(1, 'x')), 0.95);
    expect(paired).toEqual({
      difference: 0,
      interval: [0, 0],
      effect_size: null,
      is_different: false,
    });
    expect(ranksOf([5, 1, 5, 9])).toEqual([2.5, 1, 2.5, 4]);
    expect(shareLess([1, 2], [1, 3])).toBe(0.75);
  });
});
