// The door of the lab for the command line.

import { percentText, rounded } from './outcome/figures.ts';
import { comparedMeasures, type ComparedMeasure } from './outcome/measures.ts';

export { compare, seedsFrom, usualMeasureOf } from './compare/compare.ts';
export { namedContenders } from './compare/named-contenders.ts';
export { algorithmContender, ownContender } from './contender.ts';
export { attemptsText } from './outcome/attempts-text.ts';
export { reportForm } from './report/report-of.ts';
export { notesOf, readPlayable, usualSeeds } from './playable.ts';
export { readScenario, shippedScenarios } from './scenario/read-scenario.ts';
export { runsOfTuning, tune } from './tune/tune.ts';
export { simulate } from './simulation.ts';

export const comparedMeasureIds = Object.keys(comparedMeasures);

export function isComparedMeasure(id: string): id is ComparedMeasure {
  return Object.hasOwn(comparedMeasures, id);
}

/** For texts of the command line, which load no part of the lab. */
export const comparisonWords = {
  rounded,
  percentText,
  wordsOf: (measure: ComparedMeasure) => comparedMeasures[measure],
} as const;
