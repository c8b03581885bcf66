// The table behind the dots: the deciding measure of every contender with every seed. Of very many seeds it has
// quantiles; the CSV file has them all.

import type { ScenarioComparison } from '../compare/comparison.ts';
import { withDecimals } from '../outcome/figures.ts';
import { behind, scrolling } from './figure.ts';
import { markup, type Markup, name } from './markup.ts';
import { axisLabel } from './measure-text.ts';
import { orderOf } from './standing.ts';

/** More are neither read nor told apart as dots. */
export const seedsShownMost = 200;

const quantiles = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1];

export function seedTable(
  compared: ScenarioComparison,
  { decimals, figure }: { readonly decimals: number; readonly figure: number },
): Markup {
  const { contenders, deciding_measure, seeds, bounds } = compared;
  const isThinned = seeds.length > seedsShownMost;
  const hasBounds = deciding_measure === 'makespan_seconds';
  const byContender = orderOf(compared).map((place) => ({
    contender: contenders[place]!,
    values: compared.runs
      .slice(place * seeds.length, (place + 1) * seeds.length)
      .map(({ measures }) => measures[deciding_measure]),
  }));
  const columns = [
    ...byContender,
    ...(hasBounds
      ? [
          { contender: 'lower bound', values: bounds.map((each) => each.lower_bound_seconds) },
          { contender: 'longest first', values: bounds.map((each) => each.longest_first_seconds) },
        ]
      : []),
  ];
  const rows = isThinned ? quantileRows(columns) : seedRows(columns, seeds);
  const label = `${axisLabel(deciding_measure)}, ${isThinned ? 'quantiles over the seeds' : 'by seed'}`;
  return scrolling(
    behind(figure),
    markup`<table><caption>${label}</caption><thead><tr><th scope="col">${isThinned ? 'share of seeds below' : 'seed'}</th>${columns.map(({ contender }) => markup`<th scope="col" class="number">${name(contender)}</th>`)}</tr></thead><tbody>${rows.map(
      ([head, cells]) =>
        markup`<tr><th scope="row">${head}</th>${cells.map((value) => markup`<td class="number">${value === null ? '–' : withDecimals(value, decimals)}</td>`)}</tr>
`,
    )}</tbody></table>`,
  );
}

interface Column {
  readonly values: readonly (number | null)[];
}
type Row = readonly [head: string, cells: readonly (number | null)[]];

function seedRows(columns: readonly Column[], seeds: readonly number[]): readonly Row[] {
  return seeds.map((seed, i) => [String(seed), columns.map(({ values }) => values[i]!)]);
}

function quantileRows(columns: readonly Column[]): readonly Row[] {
  const sorted = columns.map(({ values }) => ascending(values.flatMap((value) => value ?? [])));
  return quantiles.map((p) => [
    `${p * 100} %`,
    sorted.map((values) => (values.length === 0 ? null : quantileAt(values, p))),
  ]);
}

/** `count` values that lie as the sample does. */
export function quantilesOf(values: readonly number[], count: number): readonly number[] {
  const sorted = ascending(values);
  return Array.from({ length: count }, (_, i) => quantileAt(sorted, (i + 0.5) / count));
}

function ascending(values: readonly number[]): readonly number[] {
  return [...values].sort((a, b) => a - b);
}

/** Of the sample itself: nothing is drawn that was not measured. */
function quantileAt(sorted: readonly number[], p: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(p * sorted.length))]!;
}
