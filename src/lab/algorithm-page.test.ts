// The tables of the guide are made from the figures beside it. After new figures (`npm run algorithm:figures`),
// `npm run test:unit -- src/lab/algorithm-page.test.ts -u` writes them anew.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { percentText, rounded, signedPercent } from './outcome/figures.ts';
import { comparedMeasures, type ComparedMeasure } from './outcome/measures.ts';

const page = fileURLToPath(new URL('../../docs/guides/choose-an-algorithm.md', import.meta.url));
const figures = fileURLToPath(
  new URL('../../docs/guides/choose-an-algorithm.csv', import.meta.url),
);
const begin =
  '<!-- The tables are made from choose-an-algorithm.csv; their test compares them. -->';
const end = '<!-- Here the tables end. -->';

type Row = Readonly<Record<string, string>>;

test('docs/guides/choose-an-algorithm.md tells the figures as they are', async () => {
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(begin);
  const [, after] = rest!.split(end);
  const made = `${before}${begin}\n\n${tables(readRows())}\n\n${end}${after}`;
  await expect(made).toMatchFileSnapshot(page);
});

function readRows(): readonly Row[] {
  const [head, ...lines] = readFileSync(figures, 'utf8').trim().split('\n');
  const names = head!.split(',');
  return lines.map((line) =>
    Object.fromEntries(line.split(',').map((cell, i) => [names[i]!, cell])),
  );
}

function tables(rows: readonly Row[]): string {
  const scenarios = [...new Set(rows.map(({ scenario }) => scenario!))];
  const contenders = [...new Set(rows.map(({ contender }) => contender!))];
  const of = (scenario: string) => rows.filter((row) => row.scenario === scenario);
  return [
    table(
      [
        'Scenario',
        'Judged by',
        'Decisions with a choice',
        'Best mean (95 %)',
        'Over the lower bound',
      ],
      scenarios.map((scenario) => verdictCells(scenario, of(scenario))),
    ),
    table(
      ['Scenario', ...contenders],
      scenarios.map((scenario) => [
        scenario,
        ...contenders.map((name) => standing(of(scenario).find((row) => row.contender === name))),
      ]),
    ),
  ].join('\n\n');
}

function verdictCells(scenario: string, rows: readonly Row[]): readonly string[] {
  const best = bestOf(rows);
  const { words, unit } = comparedMeasures[best.measure as ComparedMeasure];
  const bound = best.best_over_lower_bound === '' ? null : Number(best.best_over_lower_bound);
  return [
    scenario,
    words,
    percentText(Number(best.contested_share)),
    `${rounded(Number(best.mean))} ${unit} (${rounded(Number(best.mean_low))} to ${rounded(Number(best.mean_high))})`,
    bound === null || best.measure !== 'makespan_seconds' ? '–' : signedPercent(bound - 1),
  ];
}

function standing(row: Row | undefined): string {
  if (row === undefined) return '–';
  if (row.standing === 'best') return '**best**';
  const text = row.relative === '' ? row.standing! : signedPercent(Number(row.relative));
  return row.standing === 'worse' ? text : `≈ ${text}`;
}

function bestOf(rows: readonly Row[]): Row {
  return rows.find((row) => row.standing === 'best')!;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
