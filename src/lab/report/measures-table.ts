// All measures of all contenders: what every figure of a report is drawn from.

import type { ContenderSummary, ScenarioComparison } from '../compare/comparison.ts';
import { percentText, signedDecimals, withDecimals } from '../outcome/figures.ts';
import { comparedMeasures } from '../outcome/measures.ts';
import { scrolling } from './figure.ts';
import { markup, type Markup, name } from './markup.ts';
import {
  axisLabel,
  type ComparedMeasure,
  differenceDecimals,
  flatText,
  hasWidth,
  meanDecimals,
  measureIds,
} from './measure-text.ts';
import { orderOf, type Standing, standingOf, toldSign } from './standing.ts';

export const measureHead = markup`<thead><tr><th scope="col">contender</th><th scope="col" class="number">mean</th><th scope="col" class="number">95 % interval</th><th scope="col" class="number">mean rank</th><th scope="col" class="number">to the best</th><th scope="col" class="number">interval</th><th scope="col" class="number">effect <i>d</i></th><th scope="col" class="number">seeds won</th></tr></thead>`;

const columns = 8;

/** `number` is that of the scenario. */
export function measuresTable(compared: ScenarioComparison, number: number): Markup {
  const { deciding_measure: deciding } = compared;
  const ids = [deciding, ...measureIds.filter((id) => id !== deciding)];
  return scrolling(
    `Every measure, scenario ${number}`,
    markup`<table class="measures"><caption>All measures of all contenders</caption>${measureHead}${ids.map(
      (id) =>
        markup`<tbody><tr class="group"><th scope="rowgroup" colspan="${columns}">${axisLabel(id)} <span>${comparedMeasures[id].better} is better</span></th></tr>${hasWidth(compared.measures[id]) ? measureRows(compared, id) : markup`<tr><th scope="row">all</th><td class="number">${flatText(compared.measures[id])}</td><td colspan="${columns - 2}"></td></tr>`}</tbody>
`,
    )}</table>`,
  );
}

export function measureRows(compared: ScenarioComparison, id: ComparedMeasure): Markup {
  const comparison = compared.measures[id];
  const decimals = { mean: meanDecimals(comparison), difference: differenceDecimals(comparison) };
  return markup`${orderOf(compared).map((place) => {
    const summary = comparison.contenders[place]!;
    return rowOf(summary, standingOf(summary, comparison), decimals);
  })}`;
}

function rowOf(
  { contender, mean, interval, mean_rank, against_best: against }: ContenderSummary,
  standing: Standing,
  decimals: { readonly mean: number; readonly difference: number },
): Markup {
  const isBest = standing === 'best';
  const cells = [
    figure(mean, decimals.mean),
    span(interval, (value) => withDecimals(value, decimals.mean)),
    figure(mean_rank, 2),
    against === null ? '–' : signedDecimals(against.difference, decimals.difference),
    span(against?.interval ?? null, (value) => signedDecimals(value, decimals.difference)),
    effectText(against?.effect_size ?? null),
    against === null ? '–' : percentText(against.wins),
  ];
  return markup`<tr class="${standing}"><th scope="row">${toldSign(standing)}${isBest ? markup`<b>${name(contender)}</b>` : name(contender)}</th>${cells.map((cell) => markup`<td class="number">${cell}</td>`)}</tr>
`;
}

/** Beyond 100 it says no more than that differences hardly vary. */
function effectText(effect: number | null): string {
  if (effect === null) return '–';
  if (Math.abs(effect) > 100) return effect > 0 ? '> 100' : '< −100';
  return withDecimals(effect, Math.abs(effect) < 10 ? 2 : 1);
}

function figure(value: number | null, decimals: number): string {
  return value === null ? '–' : withDecimals(value, decimals);
}

function span(interval: readonly [number, number] | null, text: (value: number) => string): string {
  return interval === null ? '–' : `${text(interval[0])} to ${text(interval[1])}`;
}
