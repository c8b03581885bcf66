// A comparison as text: the verdict of each scenario, and a row for each contender.

import type {
  Comparison,
  ContenderSummary,
  ScenarioComparison,
} from '../../lab/compare/comparison.ts';
import type { Colors } from './colors.ts';
import { decisionTimeText } from './decision-time-text.ts';
import { renderTable } from './table.ts';
import { counted } from './wording.ts';

/** How figures are rounded and measures are called: the same as in reports. */
export interface ComparisonWords {
  readonly rounded: (value: number) => string;
  readonly percentText: (share: number) => string;
  readonly wordsOf: (measure: ScenarioComparison['deciding_measure']) => {
    readonly words: string;
    readonly unit: string;
  };
}

export function comparisonText(
  comparison: Comparison,
  words: ComparisonWords,
  colors: Colors,
): string {
  return comparison.scenarios.map((each) => scenarioText(each, words, colors)).join('\n\n');
}

function scenarioText(
  compared: ScenarioComparison,
  words: ComparisonWords,
  colors: Colors,
): string {
  const { scenario, seeds, missing, verdict, decision_times: measured } = compared;
  const left = missing === 0 ? '' : `; ${counted(missing, 'run')} of those asked for are missing`;
  const head = colors.bold(`${scenario} (${counted(seeds.length, 'seed')}${left})`);
  if (seeds.length === 0) return [head, ...verdict].join('\n');
  const times = measured === undefined ? [] : ['', decisionTimeText(measured, words, colors)];
  return [head, ...verdict, '', tableOf(compared, words, colors), ...times].join('\n');
}

interface Row {
  readonly summary: ContenderSummary;
  readonly place: number;
}

function tableOf(
  compared: ScenarioComparison,
  { rounded, percentText, wordsOf }: ComparisonWords,
  colors: Colors,
): string {
  const { deciding_measure: deciding, measures } = compared;
  const { words, unit } = wordsOf(deciding);
  const rows = measures[deciding].contenders
    .map((summary, place): Row => ({ summary, place }))
    .sort((a, b) => (a.summary.mean_rank ?? 0) - (b.summary.mean_rank ?? 0));
  const figure = (value: number | null | undefined) =>
    value === null || value === undefined ? '–' : rounded(value);
  const of = (measure: keyof typeof measures) => (row: Row) =>
    figure(measures[measure].contenders[row.place]!.mean);
  return renderTable<Row>(
    [
      { title: 'CONTENDER', cell: ({ summary }) => summary.contender },
      {
        title: `${words.toUpperCase()}, ${unit}`,
        align: 'right',
        cell: ({ summary }) => figure(summary.mean),
      },
      {
        title: '95 %',
        cell: ({ summary: { interval } }) =>
          interval === null ? '–' : `${rounded(interval[0])} to ${rounded(interval[1])}`,
      },
      {
        title: 'AGAINST THE BEST',
        cell: ({ summary: { against_best: against } }) => {
          if (against === null) return 'best';
          const { relative, difference, interval } = against;
          const much =
            relative === null
              ? `${rounded(Math.abs(difference))} ${unit}`.trim()
              : percentText(Math.abs(relative));
          if (interval === null) return much;
          return against.is_different ? `${much} worse` : `${much}, no difference at 95 %`;
        },
      },
      { title: 'MEAN RANK', align: 'right', cell: ({ summary }) => figure(summary.mean_rank) },
      { title: 'WAITING, s', align: 'right', cell: of('waiting_seconds_mean') },
      { title: 'FAILED, %', align: 'right', cell: of('tasks_failed_percent') },
      { title: 'JAIN', align: 'right', cell: of('jains_index') },
      { title: 'ENERGY, J', align: 'right', cell: of('energy_joules') },
      { title: 'WASTED, s', align: 'right', cell: of('work_wasted_seconds') },
    ],
    rows,
    colors.dim,
  );
}
