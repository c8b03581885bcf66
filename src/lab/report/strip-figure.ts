// The deciding measure: a dot for each seed, and below them the mean with its interval.

import { comparedMeasures } from '../outcome/measures.ts';
import type { ScenarioComparison } from '../compare/comparison.ts';
import { decimalsFor, withDecimals } from '../outcome/figures.ts';
import { figureMarkup } from './figure.ts';
import { markup, type Markup } from './markup.ts';
import { orderOf, signOf, standingOf } from './standing.ts';
import { meanMark, plotMarkup, type PlotLine, type PlotRow, px } from './plot.ts';
import { axisLabel, meanDecimals } from './measure-text.ts';
import { quantilesOf, seedTable, seedsShownMost } from './seed-table.ts';
import type { Scale } from './scale.ts';
import { swarmOf } from './swarm.ts';

export interface FigurePlace {
  /** Beginning of the ids of its elements. */
  readonly id: string;
  readonly number: number;
}

export function stripFigure(compared: ScenarioComparison, { id, number }: FigurePlace): Markup {
  const { deciding_measure: deciding, measures, seeds, scenario } = compared;
  const comparison = measures[deciding];
  const decimals = meanDecimals(comparison);
  const { words, unit } = comparedMeasures[deciding];
  // Of very many contenders rows are lower, so that they fit on a page.
  const rowHeight = Math.max(24, Math.min(42, Math.floor(900 / comparison.contenders.length)));
  const lanes = rowHeight >= 40 ? 5 : rowHeight >= 32 ? 3 : 1;
  const dots = dotsOf(compared);
  const rows = orderOf(compared).map((place): PlotRow => {
    const summary = comparison.contenders[place]!;
    const { contender, mean, interval } = summary;
    const standing = standingOf(summary, comparison);
    return {
      name: contender,
      standing,
      note:
        mean === null
          ? 'not measured'
          : `${withDecimals(mean, decimals)}${interval === null ? '' : ` (${withDecimals(interval[0], decimals)} to ${withDecimals(interval[1], decimals)})`}`,
      marks: (scale, middle) =>
        markup`${dotsMarkup(dots.values[place]!, { scale, middle: middle - 6, lanes })}${meanMark(scale, middle + 9, { mean: mean!, interval, standing })}`,
    };
  });
  const lines = boundLines(compared);
  return figureMarkup({
    number,
    title: markup`${capital(words)} of each contender, by mean rank (n = ${dots.seeds})`,
    plot: plotMarkup({
      id,
      title: `${words} of ${comparison.contenders.length} contenders on ${scenario}`,
      description: descriptionOf(compared),
      rows,
      noteHead: `mean (95 % interval)${unit === '' ? '' : `, ${unit}`}`,
      values: [
        ...dots.values.flat(),
        ...comparison.contenders.flatMap(({ interval }) => interval ?? []),
        ...lines.map(({ value }) => value),
      ],
      axis: axisLabel(deciding),
      lines,
      rowHeight,
    }),
    words: markup`In the upper half of a row ${dotWords(dots.seeds, seeds.length)}; below, the mean and its 95 % interval, in figures at the right. ${signKey} ${boundWords(lines)}`,
    table: {
      summary: 'Table: every seed',
      content: seedTable(compared, { decimals: decimalsOfSeeds(compared), figure: number }),
    },
  });
}

const signKey = markup`<span class="key">${signOf('best')} best mean,</span> <span class="key">${signOf('same')} cannot be told from it at 95 %,</span> <span class="key">${signOf('worse')} worse.</span>`;

/** By place of the contender. Seeds in which somebody lacks the measure count for nobody. */
function dotsOf({ contenders, seeds, runs, deciding_measure }: ScenarioComparison): Dots {
  const all = contenders.map((_, place) =>
    seeds.map((_seed, i) => runs[place * seeds.length + i]!.measures[deciding_measure]),
  );
  const whole = seeds.flatMap((_, i) => (all.every((values) => values[i] !== null) ? [i] : []));
  const values = all.map((each) => whole.map((i) => each[i]!));
  return {
    seeds: whole.length,
    values:
      whole.length > seedsShownMost
        ? values.map((each) => quantilesOf(each, seedsShownMost))
        : values,
  };
}

interface Dots {
  readonly seeds: number;
  readonly values: readonly (readonly number[])[];
}

/** `asked`: seeds that were played. */
function dotWords(counted: number, asked: number): string {
  const left =
    counted === asked ? '' : ` (in the other ${asked - counted} of ${asked} somebody has no value)`;
  if (counted > seedsShownMost) {
    return `${seedsShownMost} dots are quantiles of the ${counted} seeds${left}`;
  }
  return counted === 1
    ? `the dot is the one seed${left}`
    : `each dot is one of ${counted} seeds${left}`;
}

interface DotPlace {
  readonly scale: Scale;
  readonly middle: number;
  readonly lanes: number;
}

function dotsMarkup(values: readonly number[], { scale, middle, lanes }: DotPlace): Markup {
  const path = swarmOf(values.map(scale.at), 4.2, lanes).map(
    ({ x, off }) => `M${px(x)} ${px(middle + off)}h.01`,
  );
  return markup`<path class="dots" d="${path.join('')}"/>`;
}

function boundLines({ deciding_measure, bounds }: ScenarioComparison): readonly PlotLine[] {
  if (deciding_measure !== 'makespan_seconds' || bounds.length === 0) return [];
  const lower = meanOf(bounds.map(({ lower_bound_seconds }) => lower_bound_seconds));
  const longest = bounds.flatMap(({ longest_first_seconds }) => longest_first_seconds ?? []);
  const decimals = decimalsFor([], [lower]);
  const line = (kind: PlotLine['kind'], label: string, value: number): PlotLine => ({
    value,
    label: `${label} ${withDecimals(value, decimals)}`,
    kind,
  });
  return [
    line('bound', 'lower bound', lower),
    ...(longest.length === bounds.length
      ? [line('longest-first', 'longest task first', meanOf(longest))]
      : []),
  ];
}

function boundWords(lines: readonly PlotLine[]): string {
  if (lines.length === 0) return '';
  const known =
    lines.length > 1
      ? '; the longest task first, with all durations known, ends at the dotted line and is no optimum'
      : '';
  return `No schedule is better than the dashed lower bound${known} (means over the seeds).`;
}

function descriptionOf({ deciding_measure, measures, verdict }: ScenarioComparison): string {
  const { contenders } = measures[deciding_measure];
  const decimals = meanDecimals(measures[deciding_measure]);
  const means = contenders.map(({ contender, mean }) =>
    mean === null ? `${contender} not measured` : `${contender} ${withDecimals(mean, decimals)}`,
  );
  return `${verdict[0] ?? ''} Means: ${means.join(', ')}.`;
}

function decimalsOfSeeds({ deciding_measure, runs }: ScenarioComparison): number {
  return decimalsFor(
    [],
    runs.flatMap(({ measures }) => measures[deciding_measure] ?? []),
  );
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function capital(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
