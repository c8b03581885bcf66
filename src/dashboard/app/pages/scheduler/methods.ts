// The nine algorithms in words.

import type { AlgorithmId } from '../../../../client/scheduler.ts';

export interface Method {
  /** Under its name. */
  readonly hint: string;
  /** Goes on after its name: `edas gives work to …`. */
  readonly does: string;
  /** Over its picture. */
  readonly title: string;
  readonly note: string;
  /** It weighs criteria. */
  readonly isWeighted: boolean;
  /** What its score is called in a table, or null where it compares nothing. */
  readonly score: string | null;
  /** A larger score is better. */
  readonly isLargerBetter: boolean;
}

const compares = { isWeighted: false, isLargerBetter: false } as const;
const weighs = { isWeighted: true, isLargerBetter: true } as const;

export const methods: Readonly<Record<AlgorithmId, Method>> = {
  fifo: {
    ...compares,
    hint: 'first free',
    does: 'gives work to the first free device, in order of joining',
    title: 'fifo: who comes first',
    note: 'the longest here stands first; nothing is measured',
    score: null,
  },
  round_robin: {
    ...compares,
    hint: 'take turns',
    does: 'gives work to each device in turn',
    title: 'round_robin: whose turn it is',
    note: 'the next turn stands first; nothing is measured',
    score: null,
  },
  least_loaded: {
    ...compares,
    hint: 'fewest tasks',
    does: 'gives work to the device with the fewest tasks',
    title: 'least_loaded: how many tasks each has',
    note: 'further left is better; slots do not count',
    score: 'tasks',
  },
  performance: {
    ...compares,
    hint: 'fastest so far',
    does: 'gives work to the device that has been fastest so far',
    title: 'performance: how long a task takes',
    note: 'further left is better; who has finished none counts as fast as the fastest',
    score: 'ms a task',
  },
  priority: {
    ...compares,
    hint: 'important first',
    does: 'gives out the most important task first, to the device with the fewest tasks',
    title: 'priority: how many tasks each has',
    note: 'further left is better; which task goes first is up to its priority',
    score: 'tasks',
  },
  wrr: {
    ...weighs,
    hint: 'turns by share',
    does: 'gives every device turns by its share, the better ones more (weighted round robin)',
    title: 'wrr: shares of the turns',
    note: 'everybody gets turns, the better ones more',
    score: 'share',
  },
  edas: {
    ...weighs,
    hint: 'vs the average',
    does: 'gives work to the device that is furthest above the average in all criteria together',
    title: 'EDAS: left and right of the average device',
    note: 'right: better than the average, left: worse; the score weighs both',
    score: 'score',
  },
  aras: {
    ...weighs,
    hint: 'vs the optimum',
    does: 'gives work to the device that comes closest to the best of everything',
    title: 'ARAS: how much of the optimum',
    note: 'a device that is best in everything would reach the line; the gap is what is lacking',
    score: 'score',
  },
  mabac: {
    ...weighs,
    hint: 'vs the border',
    does: 'gives work to the device that is highest above the middle of all, the border',
    title: 'MABAC: above and below the border',
    note: 'the border is the geometric mean of all; a dot is a criterion, the bar is their sum',
    score: 'score',
  },
};

export const algorithmIds = Object.keys(methods) as readonly AlgorithmId[];

const stranger: Method = {
  ...compares,
  hint: '',
  does: 'chooses who gets work',
  title: 'Ranking',
  note: '',
  score: 'score',
};

/** A coordinator may be newer than this page. */
export function methodOf(algorithm: string): Method {
  return methods[algorithm as AlgorithmId] ?? stranger;
}
