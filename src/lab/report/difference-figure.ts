// What counts: how far each contender is from the best, seed by seed.

import type { ScenarioComparison } from '../compare/comparison.ts';
import { signedDecimals, signedPercent } from '../outcome/figures.ts';
import { comparedMeasures } from '../outcome/measures.ts';
import { behind, figureMarkup, scrolling } from './figure.ts';
import { cut, markup, type Markup, name, nothing } from './markup.ts';
import { differenceDecimals } from './measure-text.ts';
import { measureHead, measureRows } from './measures-table.ts';
import { meanMark, plotMarkup, type PlotRow } from './plot.ts';
import { orderOf, signOf, standingOf } from './standing.ts';
import type { FigurePlace } from './strip-figure.ts';

/** Nothing where there is but one contender or one seed, or nothing was measured. */
export function differenceFigure(
  compared: ScenarioComparison,
  { id, number }: FigurePlace,
): Markup {
  const { deciding_measure: deciding, measures, scenario } = compared;
  const comparison = measures[deciding];
  const { best, contenders } = comparison;
  if (best === null || contenders.length < 2 || contenders[0]!.runs < 2) return nothing;
  const { words, unit, better } = comparedMeasures[deciding];
  const decimals = differenceDecimals(comparison);
  const rows = orderOf(compared).map((place): PlotRow => {
    const summary = contenders[place]!;
    const standing = standingOf(summary, comparison);
    const against = summary.against_best;
    return {
      name: summary.contender,
      standing,
      note: against === null ? 'best mean' : noteOf(against, standing === 'same', decimals),
      marks: (scale, middle) =>
        against === null
          ? meanMark(scale, middle, { mean: 0, interval: [0, 0], standing })
          : meanMark(scale, middle, {
              mean: against.difference,
              interval: against.interval,
              standing,
            }),
    };
  });
  const table = markup`<table><caption>Differences to ${name(best)} by ${words}</caption>${measureHead}<tbody>${measureRows(compared, deciding)}</tbody></table>`;
  return figureMarkup({
    number,
    title: markup`Difference to ${name(best)}, the best mean, in the same seeds (n = ${contenders[0]!.runs})`,
    plot: plotMarkup({
      id,
      title: `differences to ${best} in ${words} on ${scenario}`,
      description: rows.map((row) => `${row.name}: ${row.note}`).join('; '),
      rows,
      noteHead: 'difference to the best',
      values: [0, ...contenders.flatMap(({ against_best }) => against_best?.interval ?? [])],
      axis: `difference${unit === '' ? '' : `, ${unit}`} (${better === 'less' ? 'more' : 'less'} is worse)`,
      lines: [{ value: 0, label: `as ${cut(best, 20)}`, kind: 'zero' }],
      rowHeight: 30,
    }),
    words: markup`Mean differences with intervals that hold for all pairs of contenders together (95 %, Bonferroni). ${signOf('same')} The interval holds 0: no difference can be told.`,
    table: {
      summary: 'Table: differences',
      content: scrolling(behind(number), table),
    },
  });
}

type Against = NonNullable<
  ScenarioComparison['measures']['makespan_seconds']['contenders'][number]['against_best']
>;

function noteOf(
  { relative, relative_interval, difference }: Against,
  isSame: boolean,
  decimals: number,
): string {
  if (isSame) {
    return relative === null
      ? `${signedDecimals(difference, decimals)}, no difference`
      : `${signedPercent(relative)}, no difference`;
  }
  if (relative === null || relative_interval === null) {
    return `${signedDecimals(difference, decimals)}, worse`;
  }
  const [low, high] = relative_interval;
  return `${signedPercent(relative)} (${signedPercent(low)} to ${signedPercent(high)})`;
}
