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
  const byContender = (isCounted: (run: RunOfComparison) => boolean) => {
    const counts = contenders.map((name) => {
      const count = runs.filter((run) => run.contender === name && isCounted(run)).length;
      return [name, count] as const;
    });
    const told = counts.filter(([, count]) => count > 0);
    const isOfAll = told.length === contenders.length && new Set(told.map(([, n]) => n)).size === 1;
    return isOfAll
      ? `${told[0]![1]} of each`
      : told.map(([name, count]) => `${count} of ${name}`).join(', ');
  };
  const isUnended = ({ measures }: RunOfComparison) => measures.makespan_seconds === null;
  const hasFailed = ({ measures }: RunOfComparison) => measures.tasks_failed > 0;
  const unended = runs.filter(isUnended).length;
  const failed = runs.filter(hasFailed).length;
  return [
    ...(unended === 0
      ? []
      : [
          `In ${unended} of ${runs.length} runs not all jobs had ended when the time was over (most_hours): ${byContender(isUnended)}.`,
        ]),
    ...(failed === 0
      ? []
      : [
          `In ${failed} of ${runs.length} runs tasks failed for good, which can make a makespan shorter: ${byContender(hasFailed)}.`,
        ]),
  ];
}
