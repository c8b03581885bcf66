// The same job without muster: the same function, called for one input after the other.
//
//   node examples/market-risk/single-process.ts

import { combineMarketRisk } from './combine.ts';
import { readHistory } from './history.ts';
import { prepareMarketRisk } from './prepare.ts';
import { type Input, marketRisk, type Result } from './program.ts';
import { marketRiskTable } from './table.ts';

export function runInOneProcess(inputs: readonly Input[]): Result[] {
  const history = readHistory();
  return inputs.map((input) => {
    const steps = marketRisk(history, input, {});
    let step = steps.next();
    while (!step.done) step = steps.next();
    return step.value;
  });
}

if (import.meta.main) {
  const startMs = performance.now();
  const results = runInOneProcess(prepareMarketRisk().inputs);
  const seconds = (performance.now() - startMs) / 1000;
  const { columns, isTTY } = process.stdout;
  process.stdout.write(marketRiskTable(combineMarketRisk(results), { columns, color: isTTY }));
  process.stderr.write(`\n${results.length} tasks in one process: ${seconds.toFixed(1)} s\n`);
}
