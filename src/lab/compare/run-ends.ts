// How the runs of a comparison ended: what must be known beside its figures.

import type { RunOfComparison } from './comparison.ts';

export interface ComparedEnds {
  readonly contenders: readonly string[];
  /** How many seeds all contenders have played. */
  readonly seeds: number;
  readonly runs: readonly RunOfComparison[];
}

/** Sentences; none when everything came to its end. */
export function sayEnds({ contenders, seeds, runs }: ComparedEnds): readonly string[] {
  if (seeds === 0) return ['It was ended before all contenders had played one seed.'];
  const isUnended = ({ measures }: RunOfComparison) => measures.makespan_seconds === null;
  const unended = runs.filter(isUnended).length;
  if (unended === 0) return [];
  const told = contenders
    .map((name) => [name, runs.filter((run) => run.contender === name && isUnended(run)).length])
    .filter(([, count]) => count !== 0);
  const isOfAll = told.length === contenders.length && new Set(told.map(([, n]) => n)).size === 1;
  const whose = isOfAll
    ? `${told[0]![1]} of each`
    : told.map(([name, count]) => `${count} of ${name}`).join(', ');
  return [
    `In ${unended} of ${runs.length} runs not all jobs had ended when the time was over (most_hours): ${whose}.`,
  ];
}
