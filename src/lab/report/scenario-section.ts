// One scenario of a report: the verdict, whether the choice matters, figures, tables, the definition.

import type { ScenarioComparison } from '../compare/comparison.ts';
import { percentText, timesText } from '../outcome/figures.ts';
import { comparedMeasures } from '../outcome/measures.ts';
import { livedText } from './lived-text.ts';
import { decisionTable } from './decision-table.ts';
import { differenceFigure } from './difference-figure.ts';
import { markup, type Markup, name, nothing, sentence } from './markup.ts';
import { measurePanels } from './measure-panels.ts';
import { measuresTable } from './measures-table.ts';
import { definitionOf } from './run-again.ts';
import { twinsOf } from './standing.ts';
import { stripFigure } from './strip-figure.ts';

export interface SectionPlace {
  /** From 1. */
  readonly number: number;
  /** It is the only one: its heading is that of the page. */
  readonly isAlone: boolean;
}

export function scenarioSection(
  compared: ScenarioComparison,
  { number, isAlone }: SectionPlace,
): Markup {
  const { scenario, about, seeds, missing, verdict, contenders } = compared;
  const id = `scenario-${number}`;
  const names = [...contenders, scenario];
  const [first = '', ...rest] = verdict;
  const figures = seeds.length === 0 ? nothing : figuresOf(compared, id, number);
  return markup`<section aria-labelledby="${id}" class="scenario"><h2 id="${id}">${isAlone ? 'Verdict' : name(scenario)}</h2>
${isAlone ? nothing : markup`<p class="about">${sentence(about, names)}</p>`}
${livedText(compared)}<p class="lede">${sentence(first, names)}</p>
${rest.length === 0 ? nothing : markup`<p>${sentence(rest.join(' '), names)}</p>`}
${missing === 0 ? nothing : markup`<p><b>Ended early:</b> ${missing} of ${missing + compared.runs.length} runs are not there; what follows is of ${seeds.length} whole seeds.</p>`}
${twinsOf(compared).map((group) => markup`<p>${listed(group)} gave the same result with every seed: here they decide alike.</p>`)}
${figures}
${definitionOf(compared, number)}</section>
`;
}

function figuresOf(compared: ScenarioComparison, id: string, number: number): Markup {
  const first = (number - 1) * 3;
  return markup`${choiceOf(compared)}
${stripFigure(compared, { id: `${id}-f1`, number: first + 1 })}
${differenceFigure(compared, { id: `${id}-f2`, number: first + 2 })}
${measurePanels(compared, { id: `${id}-f3`, number: first + 3 })}
<h3>Every measure</h3>
${measuresTable(compared, number)}
${decisionTable(compared, number)}`;
}

function listed(names: readonly string[]): Markup {
  return markup`${names.map((each, i) => markup`${i === 0 ? '' : i === names.length - 1 ? ' and ' : ', '}<b>${name(each)}</b>`)}`;
}

function choiceOf({ choice, deciding_measure }: ScenarioComparison): Markup {
  const { words, better } = comparedMeasures[deciding_measure];
  const isMakespan = deciding_measure === 'makespan_seconds';
  const over = isMakespan ? 'makespan; 1 is perfect' : 'makespan: mostly when the last job comes';
  const facts = [
    fact(
      choice.contested_share,
      percentText,
      'contested decisions',
      'more than one worker was free',
    ),
    fact(
      choice.spread,
      timesText,
      better === 'less' ? 'worst over best' : 'best over worst',
      words,
    ),
    fact(choice.best_over_lower_bound, timesText, 'best over lower bound', over),
    fact(
      choice.best_over_longest_first,
      timesText,
      'best over longest first',
      isMakespan ? 'durations known; below 1 is better' : over,
    ),
  ];
  return markup`<h3>Does the choice matter?</h3>
<dl class="choice">${facts}</dl>`;
}

function fact(
  value: number | null,
  text: (value: number) => string,
  what: string,
  more: string,
): Markup {
  return markup`<div><dt>${what} <span>${more}</span></dt><dd>${value === null ? '–' : text(value)}</dd></div>`;
}
