// Several scenarios at a glance: who is how far from the best where. The best contenders stand first, so that what
// counts is seen where a table is cut off. Narrow places have the same figures with contenders as rows.

import type { Comparison, ScenarioComparison } from '../compare/comparison.ts';
import { markup, type Markup, name } from './markup.ts';
import { signedPercent } from '../outcome/figures.ts';
import { signOf } from './standing.ts';
import { narrowTables, wideTable } from './summary-table.ts';
import { talliesOf, type Tally } from './tally.ts';

/** More do not fit beside each other on paper. */
const mostBeside = 9;

export function summary({ scenarios, contenders }: Comparison): Markup {
  const names = contenders.map((each) => each.name);
  const tallies = talliesOf(names, scenarios);
  return markup`<section aria-labelledby="summary"${contenders.length > mostBeside ? markup` class="many"` : ''}><h2 id="summary">Summary</h2>
<p class="lede">${sentencesOf(tallies, scenarios)}</p>
${wideTable(tallies, scenarios)}
${narrowTables(tallies, scenarios)}
<p class="soft">Difference of the means to the best mean, by the measure that decides in each scenario; contenders by their mean rank. <span class="key">${signOf('best')} best mean;</span> <span class="key">${signOf('same')} grey: no difference to it can be told at 95 %;</span> <span class="key">without a sign: worse,</span> with a shade from <span class="far-1">10 %</span>, <span class="far-2">50 %</span> and <span class="far-3">200 %</span> on. Below each scenario: the measure, the best mean, and in how many of the decisions there was more than one worker to choose from.</p></section>
`;
}

function sentencesOf(tallies: readonly Tally[], scenarios: readonly ScenarioComparison[]): Markup {
  const most = Math.max(0, ...tallies.map(({ good }) => good));
  if (most === 0) return markup`Nothing could be compared.`;
  return markup`${bestOf(tallies, most, scenarios.length)}${nearestOf(tallies)}${tellableOf(scenarios)}`;
}

function bestOf(tallies: readonly Tally[], most: number, all: number): Markup {
  const first = tallies.filter(({ good }) => good === most);
  const isEverybody = first.length === tallies.length;
  const who = isEverybody
    ? markup`All contenders are`
    : markup`${listed(first)} ${first.length === 1 ? 'is' : 'are'}`;
  return markup`${who} best, or cannot be told from the best, in ${most} of ${all} scenarios${isEverybody ? '' : '; no other contender in as many'}.`;
}

/** Who is nowhere far from the best: the safest where it is not known which scenario comes. */
function nearestOf(tallies: readonly Tally[]): Markup {
  const known = tallies.flatMap((each) =>
    each.farthest === null ? [] : [{ ...each, far: Math.abs(each.farthest) }],
  );
  const least = Math.min(...known.map(({ far }) => far));
  const nearest = known.filter(({ far }) => far === least);
  if (known.length < tallies.length || nearest.length === tallies.length) return markup``;
  if (least === 0)
    return markup` ${listed(nearest)} ${nearest.length === 1 ? 'has' : 'have'} the best mean in all.`;
  const { farthest } = nearest[0]!;
  return markup` ${listed(nearest)} ${nearest.length === 1 ? 'stays' : 'stay'} nearest to the best: nowhere farther than ${signedPercent(farthest!)}.`;
}

function tellableOf(scenarios: readonly ScenarioComparison[]): Markup {
  const even = scenarios.filter(
    ({ measures, deciding_measure, contenders }) =>
      measures[deciding_measure].not_worse_than_best.length === contenders.length,
  );
  if (even.length === 0) return markup``;
  const all = scenarios.length;
  const where = even.length === all ? 'In none' : `In ${all - even.length}`;
  return markup` ${where} of the ${all} a difference between any contender and the best can be told at 95 %.`;
}

function listed(tallies: readonly Tally[]): Markup {
  return markup`${tallies.map(({ contender }, i) => markup`${i === 0 ? '' : i === tallies.length - 1 ? ' and ' : ', '}<b>${name(contender)}</b>`)}`;
}
