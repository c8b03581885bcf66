import { expect, test } from 'vitest';
import { combineMarketRisk } from './combine.ts';
import type { Result } from './program.ts';

const RESULT: Result = {
  history: { source: 'a file', from: '2001-02', to: '2010-12', months: 119 },
  months: 120,
  block: 12,
  paths: 100,
  growth: { first: -1, counts: [25, 50, 25] },
  drawdown: { first: 10, counts: [100] },
  underwater: { first: 7, counts: [40, 60] },
};

test('a summary holds what its results say', () => {
  const summary = combineMarketRisk([RESULT, RESULT]);
  expect(summary).toMatchObject({ tasks: 2, paths: 200, months: 120, block: 12 });
  expect(summary.probabilityOfLoss).toBe(0.25);
  expect(summary.probabilityOfDoubling).toBe(0);
  expect(summary.outcomes.map((outcome) => outcome.percentile)).toEqual([5, 25, 50, 75, 95]);
  const median = summary.outcomes[2];
  expect(median?.factor).toBeCloseTo(Math.exp(0.01), 12);
  expect((1 + (median?.perYear ?? 0)) ** 10).toBeCloseTo(Math.exp(0.01), 12);
  expect(summary.medianDrawdown).toBeCloseTo(1 - Math.exp(-0.21), 12);
  expect(summary.medianMonthsUnderwater).toBe(8);
  expect(summary.expectedShortfallFactor).toBeLessThan(summary.outcomes[0]?.factor ?? 0);
});

test('what is not a result of this job is refused by its index', () => {
  const second = (value: unknown) => () => combineMarketRisk([RESULT, value]);
  expect(() => combineMarketRisk([])).toThrow('no results');
  expect(second(null)).toThrow('Result 1 is not one of a market-risk task: it is not an object');
  expect(second({ ...RESULT, paths: '100' })).toThrow('"paths"');
  expect(second({ ...RESULT, growth: { first: 0, counts: [-1] } })).toThrow('"growth"');
  expect(second({ ...RESULT, drawdown: { first: 0, counts: [99] } })).toThrow('counts 99 of 100');
  expect(second({ ...RESULT, history: undefined })).toThrow('"history"');
  expect(second({ ...RESULT, block: 6 })).toThrow('not those of result 0');
});
