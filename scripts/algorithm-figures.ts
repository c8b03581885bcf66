// `npm run algorithm:figures -- COMPARISON.json…`: what comparisons say (`muster compare … --out COMPARISON.json`), a row
// for each scenario and contender, as docs/guides/choose-an-algorithm.csv. Its test writes the tables of the page.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Comparison, ScenarioComparison } from '../src/lab/compare/comparison.ts';
import { type CsvCell, csvLine } from '../src/protocol/csv-line.ts';

const FILE = join(import.meta.dirname, '../docs/guides/choose-an-algorithm.csv');

const HEAD = [
  'scenario',
  'seeds',
  'measure',
  'contested_share',
  'best_over_lower_bound',
  'contender',
  'mean',
  'mean_low',
  'mean_high',
  'relative',
  'relative_low',
  'relative_high',
  'standing',
  'mean_rank',
  'energy_joules',
  'jains_index',
] as const;

function main(files: readonly string[]): void {
  if (files.length === 0) throw new Error('Name the JSON files of comparisons.');
  const scenarios = files
    .flatMap((file) => (JSON.parse(readFileSync(file, 'utf8')) as Comparison).scenarios)
    .sort((a, b) => placeOf(a) - placeOf(b));
  const text = [csvLine(HEAD), ...scenarios.flatMap(linesOf)].join('').replaceAll('\r\n', '\n');
  writeFileSync(FILE, text);
  console.log(`${FILE}: ${scenarios.length} scenarios`);
}

/** By name, but sizes in the order of their numbers. */
function placeOf({ scenario }: ScenarioComparison): number {
  return ORDER.indexOf(scenario) === -1 ? ORDER.length : ORDER.indexOf(scenario);
}

const ORDER = [
  'few-tasks',
  'bursts',
  'stragglers',
  'six-phones',
  'six-phones-pushed',
  'homogeneous-pcs',
  'mixed-pcs',
  'pcs-and-phones',
  'seven-classes',
  'many-tasks',
  'churn',
  'low-batteries',
  'scaling-1',
  'scaling-10',
  'scaling-100',
  'scaling-1000',
  'scaling-10000',
];

function linesOf(compared: ScenarioComparison): readonly string[] {
  const { scenario, seeds, deciding_measure: measure, measures, choice } = compared;
  return measures[measure].contenders.map(
    ({ contender, mean, interval, mean_rank, against_best: against }, place) => {
      const cells: readonly CsvCell[] = [
        scenario,
        seeds.length,
        measure,
        digits(choice.contested_share),
        digits(choice.best_over_lower_bound),
        contender,
        digits(mean),
        digits(interval?.[0] ?? null),
        digits(interval?.[1] ?? null),
        digits(against?.relative ?? (against === null ? 0 : null)),
        digits(against?.relative_interval?.[0] ?? null),
        digits(against?.relative_interval?.[1] ?? null),
        against === null ? 'best' : against.is_different ? 'worse' : 'same',
        digits(mean_rank),
        digits(measures.energy_joules.contenders[place]!.mean),
        digits(measures.jains_index.contenders[place]!.mean),
      ];
      return csvLine(cells);
    },
  );
}

/** Enough for every table, and little enough to be read. */
function digits(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(5));
}

main(process.argv.slice(2));
