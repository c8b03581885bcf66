// The verdict of a comparison in plain sentences. "No difference" is one.

import { comparedMeasures, type ComparedMeasure } from '../outcome/measures.ts';
import { percentText, rounded } from '../outcome/figures.ts';
import type { ChoiceSummary, ContenderSummary, MeasureComparison } from './comparison.ts';

/** A difference that nobody would act on, as a share. */
const tiny = 0.01;

export function verdictOf(
  id: ComparedMeasure,
  comparison: MeasureComparison,
  choice: ChoiceSummary,
): readonly string[] {
  return [
    ...winner(id, comparison),
    ...mattering(choice),
    // Where jobs come over time, the makespan is mostly the arrival of the last.
    ...(id === 'makespan_seconds' ? roomLeft(choice) : []),
  ];
}

function winner(id: ComparedMeasure, { contenders, best }: MeasureComparison): readonly string[] {
  const { words, unit } = comparedMeasures[id];
  const first = contenders.find(({ contender }) => contender === best);
  if (first === undefined) return [`Nothing could be compared by ${words}: no run ended in time.`];
  const others = contenders.filter((each) => each !== first);
  if (first.runs < 2) {
    return [`One seed tells nothing of chance: play several (--seeds 30) before you choose.`];
  }
  const mean = `${rounded(first.mean!)} ${unit} on average (95 %: ${between(first.interval!)})`;
  const worse = others.filter(({ against_best }) => against_best!.is_different);
  const same = others.filter(({ against_best }) => !against_best!.is_different);
  if (others.length === 0) return [`${best} alone was played: ${words} ${mean}.`];
  if (worse.length === 0) {
    return [
      `By ${words} no difference between any of the ${contenders.length} can be told at 95 %; ` +
        `the best mean is that of ${best}, ${mean}.`,
    ];
  }
  const sentences = [`By ${words} ${best} is best: ${mean}.`];
  if (same.length > 0) {
    sentences.push(`It cannot be told at 95 % from ${listed(same.map(nameOf))}.`);
  }
  sentences.push(
    `Worse are ${listed(worse.map((each) => `${each.contender} by ${byHowMuch(each)}`))}.`,
  );
  const most = Math.max(
    ...worse.map(({ against_best }) => Math.abs(against_best!.relative ?? Infinity)),
  );
  if (most < tiny) sentences.push('The differences are real and too small to matter.');
  return sentences;
}

function nameOf({ contender }: ContenderSummary): string {
  return contender;
}

function byHowMuch({ against_best }: ContenderSummary): string {
  const { relative, relative_interval, difference } = against_best!;
  if (relative === null || relative_interval === null) return rounded(Math.abs(difference));
  const sides = relative_interval.map(Math.abs).sort((a, b) => a - b);
  return `${percentText(Math.abs(relative))} (${percentText(sides[0]!)} to ${percentText(sides[1]!)})`;
}

function mattering({ contested_share, worst_over_best }: ChoiceSummary): readonly string[] {
  if (contested_share === null) return [];
  const rest = contested_share === 1 ? '' : '; in the others there was but one free worker';
  const spread =
    worst_over_best === null
      ? ''
      : ` The worst mean makespan is ${percentText(worst_over_best - 1)} longer than the best.`;
  return [
    `In ${percentText(contested_share)} of the decisions there was a choice${rest}.${spread}`,
  ];
}

function roomLeft({
  best_over_lower_bound: bound,
  best_over_oracle: oracle,
}: ChoiceSummary): readonly string[] {
  if (bound === null) return [];
  const known =
    oracle === null
      ? ''
      : oracle < 1
        ? `, and ${percentText(1 - oracle)} below a schedule that knows all durations`
        : `, and ${percentText(oracle - 1)} above a schedule that knows all durations`;
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
