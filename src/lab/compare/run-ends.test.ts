import { expect, test } from 'vitest';
import type { RunOfComparison } from './comparison.ts';
import { sayEnds } from './run-ends.ts';

const contenders = ['fifo', 'edas'];

/** `ends`: of each run how it ended; by contender, then by seed. */
function say(...ends: readonly ('well' | 'not')[]): readonly string[] {
  const seeds = ends.length / contenders.length;
  const runs = ends.map((end, i) => ({
    contender: contenders[Math.floor(i / seeds)]!,
    seed: i % seeds,
    measures: { makespan_seconds: end === 'not' ? null : 1 } as RunOfComparison['measures'],
  }));
  return sayEnds({ contenders, seeds, runs });
}

test('of runs that came to their end nothing is said', () => {
  expect(say('well', 'well', 'well', 'well')).toEqual([]);
});

test('who did not end in time is told', () => {
  expect(say('well', 'not', 'not', 'not')).toEqual([
    'In 3 of 4 runs not all jobs had ended when the time was over (most_hours): 1 of fifo, 2 of edas.',
  ]);
  expect(say('not', 'well', 'not', 'well')).toEqual([
    'In 2 of 4 runs not all jobs had ended when the time was over (most_hours): 1 of each.',
  ]);
});

test('where nothing was played that is all there is to say', () => {
  expect(say()).toEqual(['It was ended before all contenders had played one seed.']);
});
