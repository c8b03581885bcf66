// The sample job of `npm start`: prepare → run anywhere → combine → table and chart.

export { marketRiskChart } from './chart.ts';
export { combineMarketRisk, type Summary } from './combine.ts';
export { type Job, type Options, prepareMarketRisk } from './prepare.ts';
export { marketRiskTable, type TableOptions } from './table.ts';
