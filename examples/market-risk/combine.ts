// The results of all tasks, in index order, become one summary. Pure: same results, same summary.

import {
  type Histogram,
  meanOfLowest,
  mergeHistograms,
  quantile,
  shareBelow,
} from './histogram.ts';
import type { Result, SparseCounts } from './program.ts';

const BIN_WIDTH = 1 / 50;
const PERCENTILES = [5, 25, 50, 75, 95] as const;

export type Outcome = {
  readonly percentile: number;
  /** What 1 has become. */
  readonly factor: number;
  /** The constant growth a year that gives this factor; 0.05 is 5 %. */
  readonly perYear: number;
};

export type Summary = {
  readonly history: Result['history'];
  readonly tasks: number;
  readonly paths: number;
  readonly months: number;
  readonly block: number;
  readonly outcomes: readonly Outcome[];
  readonly meanFactor: number;
  /** Shares are from 0 to 1. */
  readonly probabilityOfLoss: number;
  readonly probabilityOfDoubling: number;
  /** The mean factor of the worst 5 % of all paths. */
  readonly expectedShortfallFactor: number;
  /** Deepest fall from an earlier month-end high, as a share of it, in half of the paths … */
  readonly medianDrawdown: number;
  /** … and in the worst 5 % of them at least. */
  readonly severeDrawdown: number;
  readonly medianMonthsUnderwater: number;
  /** Of ln(end / start). */
  readonly growth: Histogram;
};

/** Throws a `TypeError` that names the first result which is not one of this job's. */
export function combineMarketRisk(values: readonly unknown[]): Summary {
  const results = values.map(checkedResult);
  const first = results[0];
  if (!first) throw new TypeError('There are no results to combine.');
  const { history, months, block } = first;
  const growth = mergeHistograms(
    BIN_WIDTH,
    results.map((result) => result.growth),
  );
  const drawdown = mergeHistograms(
    BIN_WIDTH,
    results.map((result) => result.drawdown),
  );
  const underwater = mergeHistograms(
    1,
    results.map((result) => result.underwater),
  );
  const years = months / 12;
  return {
    history,
    tasks: results.length,
    paths: growth.total,
    months,
    block,
    outcomes: PERCENTILES.map((percentile) => {
      const log = quantile(growth, percentile / 100);
      return { percentile, factor: Math.exp(log), perYear: Math.expm1(log / years) };
    }),
    meanFactor: meanOfLowest(growth, 1),
    probabilityOfLoss: shareBelow(growth, 0),
    probabilityOfDoubling: 1 - shareBelow(growth, Math.LN2),
    expectedShortfallFactor: meanOfLowest(growth, 0.05),
    medianDrawdown: -Math.expm1(-quantile(drawdown, 0.5)),
    severeDrawdown: -Math.expm1(-quantile(drawdown, 0.95)),
    medianMonthsUnderwater: Math.floor(quantile(underwater, 0.5)),
    growth,
  };
}

function checkedResult(value: unknown, index: number, all: readonly unknown[]): Result {
  const result = value as Partial<Result> | null | undefined;
  const complain = (why: string): never => {
    throw new TypeError(`Result ${index} is not one of a market-risk task: ${why}.`);
  };
  if (typeof result !== 'object' || result === null) return complain('it is not an object');
  for (const key of ['months', 'block', 'paths'] as const) {
    if (!isCount(result[key])) complain(`"${key}" is not a whole number`);
  }
  for (const key of ['growth', 'drawdown', 'underwater'] as const) {
    if (!isSparseCounts(result[key])) complain(`"${key}" is not a list of counts`);
    const counted = (result[key] as SparseCounts).counts.reduce((sum, count) => sum + count, 0);
    if (counted !== result.paths) complain(`"${key}" counts ${counted} of ${result.paths} paths`);
  }
  // All tasks of a job share these; another value means results of different jobs.
  const shared = ({ history, months, block }: Partial<Result>) =>
    JSON.stringify([history?.source, history?.from, history?.to, history?.months, months, block]);
  if (typeof result.history?.source !== 'string') complain('"history" is missing');
  if (shared(result) !== shared(all[0] as Partial<Result>)) {
    complain('its history, months or block are not those of result 0');
  }
  return result as Result;
}

function isSparseCounts(value: unknown): value is SparseCounts {
  if (typeof value !== 'object' || value === null) return false;
  const { first, counts } = value as Partial<SparseCounts>;
  return Number.isSafeInteger(first) && Array.isArray(counts) && counts.every(isCount);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
