// Where contenders stand by a measure, and the order in which a report names them.

import type {
  ContenderSummary,
  MeasureComparison,
  ScenarioComparison,
} from '../compare/comparison.ts';
import { markup, type Markup, nothing } from './markup.ts';

/** `same`: cannot be told from the best at 95 %. `none`: nothing was measured. */
export type Standing = 'best' | 'same' | 'worse' | 'none';

export function standingOf(
  { contender, mean, against_best: against }: ContenderSummary,
  { best }: MeasureComparison,
): Standing {
  if (mean === null) return 'none';
  if (contender === best) return 'best';
  return against?.is_different === true ? 'worse' : 'same';
}

/** For those who do not see the sign. */
export const standingWords: Readonly<Record<Standing, string>> = {
  best: 'best mean',
  same: 'no difference',
  worse: 'worse',
  none: 'not measured',
};

/** The sign of the figures, for texts and tables: no letter has this shape in every font. */
export function signOf(standing: Standing): Markup {
  const shape =
    standing === 'best'
      ? markup`<path d="M5 .5 9.5 5 5 9.5.5 5z"/>`
      : standing === 'same'
        ? markup`<circle cx="5" cy="5" r="3.4"/>`
        : standing === 'worse'
          ? markup`<circle cx="5" cy="5" r="3.6"/>`
          : nothing;
  return markup`<svg class="sign ${standing}" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">${shape}</svg>`;
}

/** The sign with its words, unseen. */
export function toldSign(standing: Standing): Markup {
  return markup`${signOf(standing)}<span class="unseen"> ${standingWords[standing]} </span>`;
}

/** Places of the contenders by their mean rank in the deciding measure; ties as they were named. */
export function orderOf({ measures, deciding_measure }: ScenarioComparison): readonly number[] {
  const { contenders } = measures[deciding_measure];
  return contenders
    .map((_, place) => place)
    .sort((a, b) => rankAt(contenders, a) - rankAt(contenders, b) || a - b);
}

function rankAt(contenders: readonly ContenderSummary[], place: number): number {
  return contenders[place]!.mean_rank ?? Number.MAX_VALUE;
}

/** Groups of contenders, two or more, whose runs were alike in every measure with every seed. */
export function twinsOf({ contenders, runs }: ScenarioComparison): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const contender of contenders) {
    const own = runs.filter((run) => run.contender === contender).map(({ measures }) => measures);
    if (own.length === 0) continue;
    const key = JSON.stringify(own);
    groups.set(key, [...(groups.get(key) ?? []), contender]);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}
