import { describe, expect, test } from 'vitest';
import { draw } from '../chance/draw.ts';
import { streamOf } from '../chance/stream.ts';
import type { Measures } from '../outcome/measures.ts';
import { choiceOf, compareMeasures, type ComparedRuns, decidingMeasure } from './assemble.ts';
import { verdictOf } from './verdict.ts';

const nothing: Measures = {
  makespan_seconds: null,
  throughput_tasks_per_second: 0,
  jains_index: null,
  waiting_seconds_mean: null,
  waiting_seconds_p95: null,
  turnaround_seconds_mean: null,
  turnaround_seconds_p95: null,
  job_turnaround_seconds_mean: null,
  job_turnaround_seconds_p95: null,
  energy_joules: 0,
  work_wasted_seconds: 0,
  utilisation: null,
  tasks_completed: 0,
  tasks_failed: 0,
  tasks_failed_percent: null,
  attempts: 0,
  attempts_lost: 0,
  attempts_failed: 0,
  decisions: 0,
  contested_share: null,
};

/** What each contender measured with each seed. */
function comparedOf(
  seeds: number,
  measured: Readonly<Record<string, (seed: number) => Partial<Measures>>>,
): ComparedRuns {
  const contenders = Object.keys(measured);
  const all = Array.from({ length: seeds }, (_, i) => i + 1);
  const runs = contenders.flatMap((contender) =>
    all.map((seed) => ({
      contender,
      seed,
      measures: { ...nothing, ...measured[contender]!(seed) },
    })),
  );
  return { contenders, seeds: all, runs };
}

function judged(compared: ComparedRuns) {
  const measures = compareMeasures(compared);
  const deciding = decidingMeasure(measures, false);
  const bounds = compared.seeds.map(() => ({ lower_bound_seconds: 10, longest_first_seconds: 11 }));
  const choice = choiceOf(compared, bounds, { measures, deciding });
  const verdict = verdictOf({ deciding, measures, choice, runs: compared.runs });
  return { deciding, choice, verdict: verdict.join(' ') };
}

/** Makespans of about this many seconds, of which a tenth fails or not. */
const takes =
  (seconds: number, failedPercent = 0) =>
  (seed: number): Partial<Measures> => ({
    makespan_seconds: seconds + (seed % 3),
    tasks_completed: 100 - failedPercent,
    tasks_failed: failedPercent,
    tasks_failed_percent: failedPercent,
  });

describe('the verdict', () => {
  test('is against a scheduler that is done early because tasks fail under it', () => {
    const { deciding, choice, verdict } = judged(
      comparedOf(12, { hasty: takes(12, 60), slow: takes(40) }),
    );
    expect(deciding).toBe('tasks_failed_percent');
    expect(verdict).toMatch(/^By tasks failed slow is best: 0 % .* Worse is hasty by 60 %\./);
    expect(verdict).toContain('Times are not compared');
    expect(choice.best_over_lower_bound).toBeNull();
  });

  test('says that tasks failed when as many did under all', () => {
    const { deciding, verdict } = judged(
      comparedOf(12, { one: takes(20, 10), other: takes(30, 10) }),
    );
    expect(deciding).toBe('makespan_seconds');
    expect(verdict).toMatch(/one is best.*Worse is other.*Tasks failed: 10 % of them/);
    expect(verdict).not.toContain('no schedule can beat');
  });

  test('names those that are worse by how much they are', () => {
    const { verdict } = judged(
      comparedOf(12, { far: takes(60), best: takes(20), near: takes(25), middle: takes(40) }),
    );
    expect(verdict).toMatch(/Worse are near by .*, middle by .* and far by /);
    expect(verdict).not.toContain('fail');
  });

  test('says that few seeds tell little where something cannot be told', () => {
    const noisy = (stream: string) => (seed: number) => ({
      ...takes(20)(seed),
      makespan_seconds: 20 + 10 * streamOf(seed, stream).next(),
    });
    const said = 'With 4 seeds only large differences can be told';
    expect(judged(comparedOf(4, { a: noisy('a'), b: noisy('b') })).verdict).toContain(said);
    expect(judged(comparedOf(4, { a: takes(20), b: takes(90) })).verdict).not.toContain(said);
    expect(judged(comparedOf(1, { a: takes(20), b: takes(90) })).verdict).toMatch(
      /^One seed tells/,
    );
  });

  test('is none where nobody completed anything', () => {
    expect(judged(comparedOf(5, { a: () => ({}), b: () => ({}) })).verdict).toBe(
      'Nothing was completed by anybody: there is nothing to compare.',
    );
  });
});

// One of several that are equal is the best by chance, and was not known before.
test.each([
  { seeds: 5, tries: 150, most: 15 },
  { seeds: 30, tries: 60, most: 8 },
])(
  'of five equal contenders one is told worse once in twenty comparisons of $seeds seeds, at most',
  ({ seeds, tries, most }) => {
    let told = 0;
    for (let attempt = 1; attempt <= tries; attempt++) {
      const chance = (name: string) => (seed: number) => ({
        makespan_seconds: draw(
          { log_normal: { mean: 30, cv: 0.3 } },
          streamOf(1000 * attempt + seed, name),
        ),
      });
      const names = ['a', 'b', 'c', 'd', 'e'];
      const compared = comparedOf(
        seeds,
        Object.fromEntries(names.map((name) => [name, chance(name)])),
      );
      const { makespan_seconds: makespan } = compareMeasures(compared);
      if (makespan.not_worse_than_best.length < names.length) told++;
    }
    // What is expected, and three deviations.
    expect(told).toBeLessThanOrEqual(most);
  },
);
