// How long decisions took: the one table of a report that does not repeat, there only when it was asked for.

import type { ScenarioComparison } from '../compare/comparison.ts';
import { rounded, withDecimals } from '../outcome/figures.ts';
import type { DecisionTime } from '../outcome/decision-times.ts';
import { scrolling } from './figure.ts';
import { markup, type Markup, name, nothing } from './markup.ts';
import { orderOf } from './standing.ts';

/** Nothing where it was not measured. `number` is that of the scenario. */
export function decisionTable(compared: ScenarioComparison, number: number): Markup {
  const { decision_times: times } = compared;
  if (times === undefined) return nothing;
  const classes = new Map(
    times.flatMap((each) =>
      each.by_candidates.map(({ at_least, at_most }) => [at_most, at_least] as const),
    ),
  );
  const columns = [...classes].sort(([a], [b]) => a - b);
  const rows = orderOf(compared).map((place) => rowOf(times[place]!, columns));
  return markup`<h3>Decision time</h3>
<p class="soft"><b>Measured on the machine that played, while it played: these figures do not repeat.</b> All else in this report does. Of one decision, without the coordinator’s own work. The mean has every pause of the machine in it; the middle (50 %) hardly any.</p>
${scrolling(
  `Decision time, scenario ${number}`,
  markup`<table><caption>Microseconds of a decision</caption><thead><tr><th scope="col">contender</th><th scope="col" class="number">decisions</th><th scope="col" class="number">mean</th><th scope="col" class="number">50 % within</th><th scope="col" class="number">95 % within</th><th scope="col" class="number">of the clock</th>${columns.map(([most, least]) => markup`<th scope="col" class="number">50 % among ${rangeText(least, most)}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`,
)}`;
}

type Class = readonly [most: number, least: number];

function rowOf(time: DecisionTime, classes: readonly Class[]): Markup {
  const cells = [
    withDecimals(time.decisions, 0),
    figure(time.mean_microseconds),
    figure(time.p50_microseconds),
    figure(time.p95_microseconds),
    figure(time.clock_microseconds),
    ...classes.map(([most]) =>
      figure(time.by_candidates.find(({ at_most }) => at_most === most)?.p50_microseconds ?? null),
    ),
  ];
  return markup`<tr><th scope="row">${name(time.contender)}</th>${cells.map((cell) => markup`<td class="number">${cell}</td>`)}</tr>
`;
}

function figure(value: number | null): string {
  return value === null ? '–' : rounded(value);
}

/** So many workers to choose from. */
function rangeText(least: number, most: number): string {
  return least === most
    ? withDecimals(most, 0)
    : `${withDecimals(least, 0)} to ${withDecimals(most, 0)}`;
}
