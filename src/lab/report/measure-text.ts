// How measures are called and rounded in a report.

import type { MeasureComparison, ScenarioComparison } from '../compare/comparison.ts';
import { decimalsFor, rounded } from '../outcome/figures.ts';
import { comparedMeasures } from '../outcome/measures.ts';

export type ComparedMeasure = ScenarioComparison['deciding_measure'];

export const measureIds = Object.keys(comparedMeasures) as readonly ComparedMeasure[];

/** `makespan, s` */
export function axisLabel(measure: ComparedMeasure): string {
  const { words, unit } = comparedMeasures[measure];
  return unit === '' ? words : `${words}, ${unit}`;
}

/** The same for all means of a measure, so that they stand below each other. */
export function meanDecimals({ contenders }: MeasureComparison): number {
  return decimalsFor(
    contenders.flatMap(({ interval }) => (interval === null ? [] : interval[1] - interval[0])),
    contenders.flatMap(({ mean }) => mean ?? []),
  );
}

/** The same for all differences to the best. */
export function differenceDecimals({ contenders }: MeasureComparison): number {
  const against = contenders.flatMap(({ against_best }) => against_best ?? []);
  return decimalsFor(
    against.flatMap(({ interval }) => (interval === null ? [] : interval[1] - interval[0])),
    against.map(({ difference }) => difference),
  );
}

/** Some mean or interval has a width; else there is nothing to draw. */
export function hasWidth({ contenders }: MeasureComparison): boolean {
  const values = contenders.flatMap(({ mean, interval }) => interval ?? mean ?? []);
  return values.length > 0 && Math.max(...values) > Math.min(...values);
}

/** The one value of all contenders. */
export function flatText({ contenders }: MeasureComparison): string {
  const mean = contenders[0]?.mean ?? null;
  return mean === null ? '–' : rounded(mean);
}
