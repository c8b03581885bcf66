// The verdict of a comparison in plain sentences. "No difference" is one.

import { comparedMeasures, type ComparedMeasure } from '../outcome/measures.ts';
import { percentText, rounded } from '../outcome/figures.ts';
import type { AllCompared } from './assemble.ts';
import type {
  ChoiceSummary,
  ContenderSummary,
  MeasureComparison,
  RunOfComparison,
} from './comparison.ts';

/** With fewer seeds a difference has to be large, or very regular, to be told. */
const fewSeeds = 10;

/** A difference that nobody would act on, as a share. */
const tiny = 0.01;

export interface Judged {
  readonly deciding: ComparedMeasure;
  readonly measures: AllCompared;
  readonly choice: ChoiceSummary;
  readonly runs: readonly RunOfComparison[];
}

export function verdictOf({ deciding, measures, choice, runs }: Judged): readonly string[] {
  if (runs.length > 0 && runs.every((run) => run.measures.tasks_completed === 0)) {
    return ['Nothing was completed by anybody: there is nothing to compare.'];
  }
  return [
    ...winner(deciding, measures[deciding]),
    ...failures(deciding, measures.tasks_failed_percent),
    ...mattering(choice),
    // Where jobs come over time, the makespan is mostly the arrival of the last.
    ...(deciding === 'makespan_seconds' ? roomLeft(choice) : []),
  ];
}

/** Times say little of work that was not done. */
function failures(deciding: ComparedMeasure, { contenders }: MeasureComparison): readonly string[] {
  const means = contenders.flatMap(({ mean }) => mean ?? []);
  const [least, most] = [Math.min(...means), Math.max(...means)];
  if (!(most > 0)) return [];
  if (deciding === 'tasks_failed_percent') {
    return ['Times are not compared: who lets tasks fail is done earlier.'];
  }
  const share =
    rounded(least) === rounded(most) ? rounded(most) : `${rounded(least)} to ${rounded(most)}`;
  return [
    `Tasks failed: ${share} % of them, by contender; the times are those of jobs that lack them.`,
  ];
}

function winner(id: ComparedMeasure, { contenders, best }: MeasureComparison): readonly string[] {
  const { words, unit } = comparedMeasures[id];
  const first = contenders.find(({ contender }) => contender === best);
  if (first === undefined) return [`Nothing could be compared by ${words}: no run ended in time.`];
  const others = contenders.filter((each) => each !== first);
  if (first.runs < 2 || first.interval === null) {
    return [`One seed tells nothing of chance: play several (--seeds 30) before you choose.`];
  }
  const mean = `${rounded(first.mean!)} ${unit} on average (95 %: ${between(first.interval)})`;
  const worse = others
    .filter(({ against_best }) => against_best!.is_different)
    .sort((a, b) => Math.abs(a.against_best!.difference) - Math.abs(b.against_best!.difference));
  const same = others.filter(({ against_best }) => !against_best!.is_different);
  if (others.length === 0) return [`${best} alone was played: ${words} ${mean}.`];
  if (worse.length === 0) {
    return [
      `By ${words} no difference between any of the ${contenders.length} can be told at 95 %; ` +
        `the best mean is that of ${best}, ${mean}.`,
      ...fewness(first.runs),
    ];
  }
  const sentences = [`By ${words} ${best} is best: ${mean}.`];
  if (same.length > 0) {
    sentences.push(`It cannot be told at 95 % from ${listed(same.map(nameOf))}.`);
  }
  sentences.push(
    `Worse ${worse.length === 1 ? 'is' : 'are'} ${listed(worse.map((each) => `${each.contender} by ${byHowMuch(each, unit)}`))}.`,
  );
  const most = Math.max(
    ...worse.map(({ against_best }) => Math.abs(against_best!.relative ?? Infinity)),
  );
  if (most < tiny) sentences.push('The differences are real and too small to matter.');
  return [...sentences, ...(same.length > 0 ? fewness(first.runs) : [])];
}

function fewness(seeds: number): readonly string[] {
  if (seeds >= fewSeeds) return [];
  return [`With ${seeds} seeds only large differences can be told: 30 are a good number.`];
}

function nameOf({ contender }: ContenderSummary): string {
  return contender;
}

function byHowMuch({ against_best }: ContenderSummary, unit: string): string {
  const { relative, relative_interval, difference } = against_best!;
  if (relative === null || relative_interval === null) {
    return `${rounded(Math.abs(difference))} ${unit}`.trim();
  }
  const sides = relative_interval.map(Math.abs).sort((a, b) => a - b);
  return `${percentText(Math.abs(relative))} (${percentText(sides[0]!)} to ${percentText(sides[1]!)})`;
}

function mattering({ contested_share, spread }: ChoiceSummary): readonly string[] {
  if (contested_share === null) return [];
  const rest = contested_share === 1 ? '' : '; in the others there was but one free worker';
  const means =
    spread === null
      ? ''
      : ` By this measure the means differ by at most ${percentText(spread - 1)}.`;
  return [`In ${percentText(contested_share)} of the decisions there was a choice${rest}.${means}`];
}

function roomLeft({
  best_over_lower_bound: bound,
  best_over_longest_first: longest,
}: ChoiceSummary): readonly string[] {
  if (bound === null) return [];
  const known =
    longest === null
      ? ''
      : longest < 1
        ? `, and ${percentText(1 - longest)} below the longest task first, durations known`
        : `, and ${percentText(longest - 1)} above the longest task first, durations known`;
  return [
    `The best makespan is ${percentText(bound - 1)} above what no schedule can beat${known}.`,
  ];
}

function between([low, high]: readonly [number, number]): string {
  return `${rounded(low)} to ${rounded(high)}`;
}

function listed(items: readonly string[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}
