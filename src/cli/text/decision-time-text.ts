// How long decisions took, as text: a row for each contender, the middle of each class of candidates beside it.

import type { DecisionTime } from '../../lab/outcome/decision-times.ts';
import type { Colors } from './colors.ts';
import { type Column, renderTable } from './table.ts';
import { grouped } from './wording.ts';

export function decisionTimeText(
  times: readonly DecisionTime[],
  { rounded }: { readonly rounded: (value: number) => string },
  colors: Colors,
): string {
  const figure = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : rounded(value);
  const number = (title: string, cell: (time: DecisionTime) => string): Column<DecisionTime> => ({
    title,
    cell,
    align: 'right',
  });
  const classes = new Map(
    times.flatMap((each) =>
      each.by_candidates.map(({ at_least, at_most }) => [at_most, at_least] as const),
    ),
  );
  const table = renderTable<DecisionTime>(
    [
      { title: 'CONTENDER', cell: ({ contender }) => contender },
      number('DECISIONS', ({ decisions }) => grouped(decisions)),
      number('MEAN', ({ mean_microseconds: mean }) => figure(mean)),
      number('50 % WITHIN', ({ p50_microseconds: p50 }) => figure(p50)),
      number('95 % WITHIN', ({ p95_microseconds: p95 }) => figure(p95)),
      number('OF THE CLOCK', ({ clock_microseconds: clock }) => figure(clock)),
      ...[...classes]
        .sort(([a], [b]) => a - b)
        .map(([most, least]) =>
          number(`50 % AMONG ${rangeText(least, most)}`, ({ by_candidates }) =>
            figure(by_candidates.find(({ at_most }) => at_most === most)?.p50_microseconds),
          ),
        ),
    ],
    times,
    colors.dim,
  );
  return `${colors.bold('Decision time, µs')}: measured on this machine while it played, so it does not repeat.\n${table}`;
}

/** So many workers to choose from. */
function rangeText(least: number, most: number): string {
  return least === most ? grouped(most) : `${grouped(least)} TO ${grouped(most)}`;
}
