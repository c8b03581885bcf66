// The runs of a comparison as CSV: a row each, a column for each measure.

import type { Comparison } from '../compare/comparison.ts';
import type { Measures } from '../outcome/measures.ts';
import { csvLine } from '../../protocol/csv-line.ts';

export function runsCsv({ scenarios }: Comparison): string {
  const first = scenarios.flatMap(({ runs }) => runs)[0];
  const names = Object.keys(first?.measures ?? {}) as (keyof Measures)[];
  const head = [
    'scenario',
    'contender',
    'seed',
    'lower_bound_seconds',
    'longest_first_seconds',
    ...names,
  ];
  const lines = scenarios.flatMap(({ scenario, runs, bounds }) =>
    runs.map(({ contender, seed, measures }) => {
      const bound = bounds.find((each) => each.seed === seed)!;
      return csvLine([
        scenario,
        contender,
        seed,
        bound.lower_bound_seconds,
        bound.longest_first_seconds,
        ...names.map((name) => measures[name]),
      ]);
    }),
  );
  return [csvLine(head), ...lines].join('');
}
