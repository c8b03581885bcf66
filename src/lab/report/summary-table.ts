// The table of a summary: a row for each scenario, a column for each contender; and the same for narrow places, a few
// scenarios beside each other and a row for each contender.

import type { ScenarioComparison } from '../compare/comparison.ts';
import { percentText, rounded, signedPercent, withDecimals } from '../outcome/figures.ts';
import { comparedMeasures } from '../outcome/measures.ts';
import { scrolling } from './figure.ts';
import { breakable, markup, type Markup, name } from './markup.ts';
import { signOf, standingOf, toldSign } from './standing.ts';
import type { Tally } from './tally.ts';

type Scenarios = readonly ScenarioComparison[];

export function wideTable(tallies: readonly Tally[], scenarios: Scenarios): Markup {
  const rows = scenarios.map(
    (each, i) =>
      markup`<tr><th scope="row"><a href="#scenario-${i + 1}">${name(each.scenario)}</a> <span>${wordsOf(each)}</span> <span>${factsOf(each)}</span></th>${tallies.map((tally) => cellOf(tally, each))}</tr>
`,
  );
  const foot = overall.map(
    ({ words, cell }) =>
      markup`<tr><th scope="row">${words}</th>${tallies.map((tally) => markup`<td class="number">${cell(tally, scenarios)}</td>`)}</tr>`,
  );
  return markup`<div class="beside">${scrolling(
    'Summary of all scenarios',
    markup`<table class="summary"><caption>Difference to the best mean</caption><thead><tr><th scope="col">scenario</th>${tallies.map(({ contender }) => markup`<th scope="col" class="number">${breakable(contender)}</th>`)}</tr></thead><tbody>${rows}</tbody><tfoot>${foot}</tfoot></table>`,
  )}</div>`;
}

/** So many beside each other on a phone. */
const scenariosBeside = 3;

export function narrowTables(tallies: readonly Tally[], scenarios: Scenarios): Markup {
  const parts: Scenarios[] = [];
  for (let from = 0; from < scenarios.length; from += scenariosBeside) {
    parts.push(scenarios.slice(from, from + scenariosBeside));
  }
  const tables = parts.map((part, i) => partTable(tallies, part, i * scenariosBeside + 1));
  return markup`<div class="below"><table class="summary"><caption>All scenarios together</caption><thead><tr><th scope="col">contender</th>${overall.map(({ words }) => markup`<th scope="col" class="number">${words}</th>`)}</tr></thead><tbody>${tallies.map(
    (tally) =>
      markup`<tr><th scope="row">${breakable(tally.contender)}</th>${overall.map(({ cell }) => markup`<td class="number">${cell(tally, scenarios)}</td>`)}</tr>
`,
  )}</tbody></table>${tables}</div>`;
}

/** `first`: number of the first scenario in it. */
function partTable(tallies: readonly Tally[], scenarios: Scenarios, first: number): Markup {
  const heads = scenarios.map(
    (each, i) =>
      markup`<th scope="col" class="number"><a href="#scenario-${first + i}">${breakable(each.scenario)}</a> <span>${wordsOf(each)}</span> <span>${bestOf(each)}</span></th>`,
  );
  return markup`<table class="summary"><caption>Difference to the best mean</caption><thead><tr><th scope="col">contender</th>${heads}</tr></thead><tbody>${tallies.map(
    (tally) =>
      markup`<tr><th scope="row">${breakable(tally.contender)}</th>${scenarios.map((each) => cellOf(tally, each))}</tr>
`,
  )}</tbody></table>`;
}

const overall: readonly {
  readonly words: string;
  readonly cell: (tally: Tally, scenarios: Scenarios) => string;
}[] = [
  { words: 'best or no difference', cell: ({ good }, { length }) => `${good} of ${length}` },
  {
    words: 'farthest from the best',
    cell: ({ farthest }) => (farthest === null ? '–' : signedPercent(farthest)),
  },
  {
    words: 'mean rank',
    cell: ({ meanRank }) => (meanRank === null ? '–' : withDecimals(meanRank, 2)),
  },
];

function wordsOf({ deciding_measure: deciding }: ScenarioComparison): string {
  return comparedMeasures[deciding].words;
}

/** `192 s`: the best mean. */
function bestOf({ measures, deciding_measure: deciding }: ScenarioComparison): string {
  const { best, contenders } = measures[deciding];
  const mean = contenders.find(({ contender }) => contender === best)?.mean ?? null;
  return mean === null ? '' : `${rounded(mean)} ${comparedMeasures[deciding].unit}`;
}

/** `192 s, choice in 8.1 %` */
function factsOf(compared: ScenarioComparison): string {
  const { contested_share: share } = compared.choice;
  const choice = share === null ? '' : `choice in ${percentText(share)}`;
  return [bestOf(compared), choice].filter((each) => each !== '').join(', ');
}

function cellOf({ place }: Tally, { measures, deciding_measure: deciding }: ScenarioComparison) {
  const comparison = measures[deciding];
  const found = comparison.contenders[place]!;
  const standing = standingOf(found, comparison);
  if (standing === 'best') return markup`<td class="number best">${signOf('best')}<b>best</b></td>`;
  const relative = found.against_best?.relative ?? null;
  const difference = relative === null ? (standing === 'none' ? '–' : '') : signedPercent(relative);
  const far = standing === 'worse' && relative !== null ? distanceClass(relative) : '';
  return markup`<td class="number ${standing}${far}">${standing === 'same' ? toldSign('same') : ''}${difference}</td>`;
}

/** How dark a cell is. */
function distanceClass(relative: number): string {
  const much = Math.abs(relative);
  const step = much >= 2 ? 3 : much >= 0.5 ? 2 : much >= 0.1 ? 1 : 0;
  return step === 0 ? '' : ` far-${step}`;
}
