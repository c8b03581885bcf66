import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { combineMarketRisk } from './combine.ts';
import { prepareMarketRisk } from './prepare.ts';
import { runInOneProcess } from './single-process.ts';
import { grouped, marketRiskTable, monthName, title } from './table.ts';

const summary = combineMarketRisk(
  runInOneProcess(prepareMarketRisk({ tasks: 4, paths: 2_500 }).inputs),
);

test('the table names the data, the period, the paths and every percentile', () => {
  const table = marketRiskTable(summary);
  expect(table).toContain('S&P 500, 10 years ahead');
  expect(table).toContain('10 000 simulated paths of 120 months');
  expect(table).toMatch(/242 monthly\s+returns, Feb 2000 to Mar 2020/);
  expect(table).toContain('vega-datasets sp500-2000.csv');
  for (const { factor } of summary.outcomes) expect(table).toContain(factor.toFixed(2));
  expect(table).toMatch(/Chance of a loss +\d\d\.\d %\n/);
});

test('the shares of the ranges add up to all paths', () => {
  const shares = [...marketRiskTable(summary).matchAll(/^ {2}\S+ [–\d. ]+ +([\d.]+) %/gm)];
  expect(shares).toHaveLength(7);
  const sum = shares.reduce((total, match) => total + Number(match[1]), 0);
  expect(Math.abs(sum - 100)).toBeLessThanOrEqual(0.4);
});

test('no line is wider than the terminal, and the columns of numbers end together', () => {
  for (const columns of [56, 64, 80, 200]) {
    const lines = marketRiskTable(summary, { columns }).split('\n');
    const limit = Math.min(columns, 80);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(limit);
    const outcomes = lines.filter((line) => /^ +\d+ % {3}/.test(line));
    expect(outcomes.map((line) => line.length)).toEqual([limit, limit, limit, limit, limit]);
  }
});

test('colour changes nothing but the colour', () => {
  const colored = marketRiskTable(summary, { color: true });
  expect(colored).toContain('\x1b[31m█');
  expect(stripVTControlCharacters(colored)).toBe(marketRiskTable(summary));
  expect(marketRiskTable(summary, { color: false })).toBe(marketRiskTable(summary));
});

test('numbers, months and horizons are written for people', () => {
  expect([grouped(999), grouped(1000), grouped(20_000_000)]).toEqual([
    '999',
    '1 000',
    '20 000 000',
  ]);
  expect([monthName('2000-02'), monthName('2020-12')]).toEqual(['Feb 2000', 'Dec 2020']);
  expect([12, 120, 18].map((months) => title({ months }))).toEqual([
    'S&P 500, 1 year ahead',
    'S&P 500, 10 years ahead',
    'S&P 500, 18 months ahead',
  ]);
});
