// Table and chart from results that a coordinator gave out: a JSON array, or one object a line, of
// `{index, status, value}`, in any order.
//
//   node examples/market-risk/report.ts RESULTS [CHART.svg]

import { readFileSync, writeFileSync } from 'node:fs';
import { marketRiskChart } from './chart.ts';
import { combineMarketRisk } from './combine.ts';
import { marketRiskTable } from './table.ts';

type TaskResult = { readonly index: number; readonly status: string; readonly value?: unknown };

/** The values in index order. Throws when a task has none: a hole would bend the distribution. */
export function readResults(text: string): unknown[] {
  const results: TaskResult[] = text.trimStart().startsWith('[')
    ? JSON.parse(text)
    : text
        .split('\n')
        .filter((row) => row.trim() !== '')
        .map((row) => JSON.parse(row));
  return results
    .toSorted((one, other) => one.index - other.index)
    .map(({ index, status, value }, place) => {
      if (index !== place) throw new Error(`The result of task ${place} is missing.`);
      if (status !== 'completed') throw new Error(`Task ${index} is ${status}: it has no result.`);
      return value;
    });
}

if (import.meta.main) {
  const [results, chart] = process.argv.slice(2);
  if (results === undefined) throw new Error('Usage: report.ts RESULTS [CHART.svg]');
  const summary = combineMarketRisk(readResults(readFileSync(results, 'utf8')));
  const { columns, isTTY } = process.stdout;
  process.stdout.write(marketRiskTable(summary, { columns, color: isTTY }));
  if (chart !== undefined) writeFileSync(chart, marketRiskChart(summary));
}
