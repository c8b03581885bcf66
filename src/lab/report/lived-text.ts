// Of a trace: what happened in life, and how near the lab comes to it under the same algorithm.

import type { ScenarioComparison } from '../compare/comparison.ts';
import { percentText, rounded } from '../outcome/figures.ts';
import { markup, type Markup, nothing } from './markup.ts';

/** Nothing for a scenario. */
export function livedText({ trace, measures }: ScenarioComparison): Markup {
  if (trace === null) return nothing;
  const { algorithm, makespan_seconds: lived, notes } = trace;
  const again = measures.makespan_seconds.contenders.find((each) => each.contender === algorithm);
  return markup`<p>${lived === null ? 'Not all of its jobs ended in it, so there is no length in life to compare with.' : markup`In life it took <b>${rounded(lived)} s</b> under ${algorithm}${nearness(lived, again?.mean)}`}${notes.map((note) => markup` ${note}`)}</p>
`;
}

/** `played`: mean makespan; undefined: it was not played; null: it did not end. */
function nearness(lived: number, played: number | null | undefined): string {
  if (played === undefined) {
    return ', which does not take part here: played along, it would tell how near the lab comes to life.';
  }
  if (played === null) return '. Played again it did not end in time.';
  if (lived === 0) return '.';
  const error = played / lived - 1;
  const much =
    error === 0 ? 'as long' : `${percentText(Math.abs(error))} ${error > 0 ? 'longer' : 'shorter'}`;
  return `. Played again under it, it takes ${rounded(played)} s on average, ${much}: the error to bear in mind with what follows.`;
}
