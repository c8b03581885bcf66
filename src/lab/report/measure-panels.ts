// The other measures, small and side by side: a row for each contender, its mean and interval.

import type { MeasureComparison, ScenarioComparison } from '../compare/comparison.ts';
import { withDecimals } from '../outcome/figures.ts';
import { comparedMeasures } from '../outcome/measures.ts';
import { behind, folded, scrolling } from './figure.ts';
import { cut, markup, type Markup, name, nothing } from './markup.ts';
import {
  axisLabel,
  type ComparedMeasure,
  flatText,
  hasWidth,
  meanDecimals,
  measureIds,
} from './measure-text.ts';
import { meanMark, px, tickLabelAt } from './plot.ts';
import { scaleOf } from './scale.ts';
import { orderOf, standingOf } from './standing.ts';
import type { FigurePlace } from './strip-figure.ts';

const width = 244;
const nameLetters = 16;
const rowPx = 18;
const top = 6;

/** `number` is that of the figure. Nothing where nothing else was measured. */
export function measurePanels(compared: ScenarioComparison, { id, number }: FigurePlace): Markup {
  const others = measureIds.filter((measure) => measure !== compared.deciding_measure);
  const varying = others.filter((measure) => hasWidth(compared.measures[measure]));
  const flat = others.filter((measure) => !varying.includes(measure));
  if (varying.length === 0) return nothing;
  return markup`<figure class="panels-figure"><h3>Figure ${number}. The other measures (${countsOf(varying.map((measure) => compared.measures[measure]))})</h3><div class="panels">${varying.map(
    (measure, i) => panel(compared, measure, `${id}-${i + 1}`),
  )}</div><figcaption>Means and 95 % intervals. Signs as before, by the paired differences in the measure of the panel: they may be clear where intervals of means overlap. Axes without a 0 do not begin there: what looks large may be small. ${flat.map((measure) => flatWords(measure, compared.measures[measure]))}</figcaption></figure>
${folded({ summary: 'Table: means of all measures', content: meansTable(compared, number) })}`;
}

/** `n = 30`, or `n = 25 to 30`: seeds in which every contender has the measure. */
function countsOf(comparisons: readonly MeasureComparison[]): string {
  const counts = comparisons.flatMap(({ contenders }) => contenders.map(({ runs }) => runs));
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  return least === most ? `n = ${most}` : `n = ${least} to ${most}`;
}

function flatWords(measure: ComparedMeasure, comparison: MeasureComparison): string {
  const { words, unit } = comparedMeasures[measure];
  if (comparison.best === null) return `Not measured: ${words}. `;
  return `Not drawn: ${words}, ${`${flatText(comparison)} ${unit}`.trim()} for all. `;
}

function panel(compared: ScenarioComparison, measure: ComparedMeasure, id: string): Markup {
  const comparison = compared.measures[measure];
  const rows = orderOf(compared).map((place) => comparison.contenders[place]!);
  const letters = Math.min(
    nameLetters,
    Math.max(...rows.map(({ contender }) => Array.from(contender).length)),
  );
  const left = Math.ceil(letters * 6.4) + 10;
  const scale = scaleOf(
    rows.flatMap(({ mean, interval }) => interval ?? mean ?? []),
    { from: left + 4, to: width - 22, spaces: 4 },
  );
  const bottom = top + rows.length * rowPx + 2;
  const height = bottom + 18;
  const { words, better } = comparedMeasures[measure];
  const decimals = meanDecimals(comparison);
  const description = rows
    .map(({ contender, mean }) =>
      mean === null ? `${contender} –` : `${contender} ${withDecimals(mean, decimals)}`,
    )
    .join(', ');
  return markup`<div class="panel"><p class="panel-title">${axisLabel(measure)} <span>${better === 'less' ? 'less is better' : 'more is better'}</span></p><svg class="plot" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${words}</title><desc id="${id}-d">${description}</desc>${scale.ticks.map(
    (tick) =>
      markup`<line class="grid" x1="${px(scale.at(tick.value))}" x2="${px(scale.at(tick.value))}" y1="${top}" y2="${bottom}"/><text class="tick" x="${tickLabelAt(scale, tick, width)}" y="${bottom + 14}" text-anchor="middle">${tick.label}</text>`,
  )}<line class="axis" x1="${px(left + 4)}" x2="${px(width - 22)}" y1="${bottom}" y2="${bottom}"/>${rows.map(
    (summary, i) => {
      const middle = top + (i + 0.5) * rowPx;
      const standing = standingOf(summary, comparison);
      const { mean, interval } = summary;
      return markup`<g class="${standing}"><text class="name" x="1" y="${px(middle + 4)}">${cut(summary.contender, nameLetters)}</text>${mean === null ? nothing : meanMark(scale, middle, { mean, interval, standing })}</g>`;
    },
  )}</svg></div>`;
}

function meansTable(compared: ScenarioComparison, figure: number): Markup {
  const { contenders, measures } = compared;
  const label = 'Means of all measures';
  return scrolling(
    behind(figure),
    markup`<table><caption>${label}</caption><thead><tr><th scope="col">measure</th>${orderOf(compared).map((place) => markup`<th scope="col" class="number">${name(contenders[place]!)}</th>`)}</tr></thead><tbody>${measureIds.map(
      (id) => {
        const decimals = meanDecimals(measures[id]);
        return markup`<tr><th scope="row">${axisLabel(id)}</th>${orderOf(compared).map((place) => {
          const { mean } = measures[id].contenders[place]!;
          return markup`<td class="number">${mean === null ? '–' : withDecimals(mean, decimals)}</td>`;
        })}</tr>
`;
      },
    )}</tbody></table>`,
  );
}
