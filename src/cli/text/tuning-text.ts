// What a search for weights has found, as text.

import type { Tuning } from '../../lab/tune/tune.ts';
import type { ComparisonWords } from './comparison-text.ts';
import { renderFacts } from './table.ts';
import { counted } from './wording.ts';

export function tuningText(tuning: Tuning, words: ComparisonWords): string {
  const { scenario, algorithm, found, weights, held_out: held, rounds } = tuning;
  const { rounded } = words;
  const measure = words.wordsOf(tuning.measure);
  const tried = rounds.reduce((sum, { candidates }) => sum + candidates, 0);
  const named = Object.entries(weights)
    .filter(([, weight]) => weight > 0)
    .map(([id, weight]) => `${id}=${weight}`)
    .join(',');
  const head = found
    ? `${algorithm} does better in ${scenario} with other weights than equal ones.`
    : held.mean === null
      ? `Nothing can be judged by ${measure.words}: no run of ${scenario} has any. muster simulate tells why.`
      : `No weights were found that do better than equal ones for ${algorithm} in ${scenario}.`;
  const facts = renderFacts([
    [found ? 'weights' : 'best of the search', named],
    [measure.words, held.mean === null ? '–' : heldOut(held, rounded, measure.unit)],
    ['tried', `${counted(tried, 'candidate')} in ${counted(rounds.length, 'round')}`],
    ['judged by', `${counted(held.seeds.length, 'seed')} that the search has not seen`],
  ]);
  const use = found ? `\n\nTo use them: muster scheduler set --weights ${named}` : '';
  return `${head}\n${facts}${use}`;
}

function heldOut(
  { mean, equal_mean, difference, interval }: Tuning['held_out'],
  rounded: (value: number) => string,
  unit: string,
): string {
  return (
    `${rounded(mean!)} ${unit}, with equal weights ${rounded(equal_mean!)} ${unit}: ` +
    `a difference of ${rounded(difference!)} ${unit}` +
    (interval === null ? '' : ` (95 %: ${rounded(interval[0])} to ${rounded(interval[1])})`)
  );
}
