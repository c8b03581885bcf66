import { describe, expect, test } from 'vitest';
import { scaleOf } from './scale.ts';
import { swarmOf } from './swarm.ts';

const labels = (values: readonly number[], spaces = 5, to = 500) =>
  scaleOf(values, { from: 0, to, spaces }).ticks.map(({ label }) => label);

describe('a scale', () => {
  test('has round ticks around its values', () => {
    expect(labels([203, 487])).toEqual(['200', '300', '400', '500']);
    expect(labels([-18.2, 56])).toEqual(['−20', '0', '20', '40', '60']);
    expect(labels([0.13417, 0.13618])).toEqual([
      '0.1340',
      '0.1345',
      '0.1350',
      '0.1355',
      '0.1360',
      '0.1365',
    ]);
  });

  test('begins at 0 where little is lost by it', () => {
    expect(labels([10, 45])[0]).toBe('0');
    expect(labels([44, 45])[0]).toBe('44.0');
  });

  test('has fewer ticks where their labels are long', () => {
    expect(labels([921_000, 934_000], 5, 100)).toEqual(['920 000', '940 000']);
  });

  test('ticks are where the axis ends, and values between', () => {
    const scale = scaleOf([12, 47], { from: 100, to: 400, spaces: 4 });
    expect(scale.at(scale.low)).toBe(100);
    expect(scale.at(scale.high)).toBe(400);
    expect(scale.at((scale.low + scale.high) / 2)).toBe(250);
  });

  test('of nothing is around 0', () => {
    expect(labels([])[0]).toBe('−1.0');
  });

  test.each(
    [[0], [5], [-3], [1e-9], [1e12], [1e12, 1e12 + 1e-3]].map((values) => [values] as const),
  )('has a width around %j alone', (values) => {
    const scale = scaleOf(values, { from: 0, to: 300, spaces: 4 });
    expect(scale.high).toBeGreaterThan(scale.low);
    expect(scale.at(values[0]!)).toBeGreaterThan(0);
    expect(scale.at(values[0]!)).toBeLessThan(300);
  });
});

describe('dots of a row', () => {
  test('lie beside each other where they would lie on each other', () => {
    expect(swarmOf([0, 1, 2, 10], 4, 3)).toEqual([
      { x: 0, off: 0 },
      { x: 1, off: -4 },
      { x: 2, off: 4 },
      { x: 10, off: 0 },
    ]);
  });

  test('lie as far from each other as can be where no room is left', () => {
    expect(swarmOf([0, 1, 2, 3, 3], 4, 3).map(({ off }) => off)).toEqual([0, -4, 4, 0, -4]);
  });
});
