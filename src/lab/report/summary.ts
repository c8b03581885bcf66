// Several scenarios at a glance: who is how far from the best where.

import type { Comparison, ContenderSummary, ScenarioComparison } from '../compare/comparison.ts';
import { signedPercent, withDecimals } from '../outcome/figures.ts';
import { comparedMeasures } from '../outcome/measures.ts';
import { scrolling } from './figure.ts';
import { breakable, markup, type Markup, name } from './markup.ts';
import { signOf, standingOf, toldSign } from './standing.ts';

interface Tally {
  readonly contender: string;
  /** Scenarios in which it is the best, or cannot be told from it. */
  readonly good: number;
  readonly meanRank: number | null;
}

export function summary(comparison: Comparison): Markup {
  const { scenarios } = comparison;
  const tallies = comparison.contenders.map((each) => tallyOf(each.name, scenarios));
  return markup`<section aria-labelledby="summary"><h2 id="summary">Summary</h2>
${sentencesOf(tallies, scenarios).map((each) => markup`<p class="lede">${each}</p>`)}
${scrolling('Summary of all scenarios', summaryTable(tallies, scenarios))}
<p class="soft">Mean difference to the best mean, by the measure that decides in each scenario. <span class="key">${signOf('best')} best mean;</span> <span class="key">${signOf('same')} no difference to it can be told at 95 %;</span> without a sign: worse.</p></section>
`;
}

function tallyOf(contender: string, scenarios: readonly ScenarioComparison[]): Tally {
  const measured = scenarios.flatMap((each) => {
    const comparison = each.measures[each.deciding_measure];
    const found = comparison.contenders.find((one) => one.contender === contender);
    if (found === undefined || found.mean_rank === null) return [];
    return [{ rank: found.mean_rank, standing: standingOf(found, comparison) }];
  });
  return {
    contender,
    good: measured.filter(({ standing }) => standing === 'best' || standing === 'same').length,
    meanRank:
      measured.length === 0
        ? null
        : measured.reduce((sum, { rank }) => sum + rank, 0) / measured.length,
  };
}

function sentencesOf(
  tallies: readonly Tally[],
  scenarios: readonly ScenarioComparison[],
): readonly Markup[] {
  const most = Math.max(0, ...tallies.map(({ good }) => good));
  const first = tallies.filter(({ good }) => good === most);
  const even = scenarios.filter(
    ({ measures, deciding_measure, contenders }) =>
      measures[deciding_measure].not_worse_than_best.length === contenders.length,
  );
  const all = scenarios.length;
  const who =
    first.length === tallies.length
      ? markup`All contenders are`
      : markup`${first.map(({ contender }, i) => markup`${i === 0 ? '' : i === first.length - 1 ? ' and ' : ', '}<b>${name(contender)}</b>`)} ${first.length === 1 ? 'is' : 'are'}`;
  const top =
    most === 0
      ? markup`Nothing could be compared.`
      : markup`${who} best, or cannot be told from the best, in ${most} of ${all} scenarios${first.length === tallies.length ? '' : '; no other contender in as many'}.`;
  if (even.length === 0) return [top];
  const where = even.length === all ? 'In none' : `In ${all - even.length}`;
  return [
    markup`${top} ${where} of the ${all} a difference between any contender and the best can be told at 95 %.`,
  ];
}

function summaryTable(tallies: readonly Tally[], scenarios: readonly ScenarioComparison[]): Markup {
  return markup`<table class="summary"><caption>Difference to the best</caption><thead><tr><th scope="col">scenario</th>${tallies.map(({ contender }) => markup`<th scope="col" class="number">${breakable(contender)}</th>`)}</tr></thead><tbody>${scenarios.map(
    (each, i) =>
      markup`<tr><th scope="row"><a href="#scenario-${i + 1}">${name(each.scenario)}</a> <span>${comparedMeasures[each.deciding_measure].words}</span></th>${each.measures[each.deciding_measure].contenders.map((found) => cellOf(found, each))}</tr>
`,
  )}</tbody><tfoot><tr><th scope="row">best or no difference</th>${tallies.map(({ good }) => markup`<td class="number">${good} of ${scenarios.length}</td>`)}</tr><tr><th scope="row">mean rank</th>${tallies.map(({ meanRank }) => markup`<td class="number">${meanRank === null ? '–' : withDecimals(meanRank, 2)}</td>`)}</tr></tfoot></table>`;
}

function cellOf(found: ContenderSummary, { measures, deciding_measure }: ScenarioComparison) {
  const standing = standingOf(found, measures[deciding_measure]);
  const relative = found.against_best?.relative ?? null;
  const difference = relative === null ? (standing === 'none' ? '–' : '') : signedPercent(relative);
  if (standing === 'best') return markup`<td class="number best">${signOf('best')}<b>best</b></td>`;
  return markup`<td class="number ${standing}">${standing === 'same' ? toldSign('same') : ''}${difference}</td>`;
}
