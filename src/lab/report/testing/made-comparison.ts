// Comparisons whose runs nobody played: numbers drawn from a seed, judged as those of runs are.

import { streamOf } from '../../chance/stream.ts';
import { choiceOf, compareMeasures, decidingMeasure } from '../../compare/assemble.ts';
import type { Comparison, RunOfComparison, ScenarioComparison } from '../../compare/comparison.ts';
import type { DecisionTime } from '../../outcome/decision-times.ts';
import { verdictOf } from '../../compare/verdict.ts';
import type { Measures } from '../../outcome/measures.ts';
import type { TraceOrigin } from '../../trace/recorded-plan.ts';

export interface Making {
  readonly scenarios?: readonly string[];
  readonly about?: string;
  readonly contenders?: readonly string[];
  readonly seeds?: number;
  readonly definition?: unknown;
  readonly hasManyJobs?: boolean;
  /** Runs that did not end: all, or those of the first contender with these seeds. */
  readonly hasNoEnd?: boolean | readonly number[];
  readonly missing?: number;
  readonly hasDecisionTimes?: boolean;
  /** Every scenario is this one. */
  readonly trace?: TraceOrigin;
  /** Of a second of a run; 1000 when left out. */
  readonly joules?: number;
}

/** The first contender is the slowest, the last the fastest. */
export function madeComparison(making: Making = {}): Comparison {
  const { scenarios = ['made'], contenders = ['fifo', 'wrr', 'edas'], seeds = 10 } = making;
  return {
    comparison: 1,
    muster: '1.2.3',
    seeds: Array.from({ length: seeds }, (_, i) => i + 1),
    contenders: contenders.map((name) =>
      name.startsWith('own-')
        ? { name, file: `${name}.ts`, sha256: '0'.repeat(64) }
        : { name, algorithm: name },
    ),
    scenarios: scenarios.map((name) => madeScenario(name, contenders, seeds, making)),
  };
}

function madeScenario(
  scenario: string,
  contenders: readonly string[],
  count: number,
  making: Making,
): ScenarioComparison {
  const { about = 'Made up.', hasManyJobs = false, hasNoEnd = false } = making;
  const { missing = 0, joules = 1000 } = making;
  const seeds = Array.from({ length: count }, (_, i) => i + 1);
  const runs = contenders.flatMap((contender, place) =>
    seeds.map((seed): RunOfComparison => {
      const chance = streamOf(seed, `${scenario}/${contender}`);
      const span = 100 + 5 * (contenders.length - place) + 40 * chance.next();
      const isEndless =
        typeof hasNoEnd === 'boolean' ? hasNoEnd : place === 0 && hasNoEnd.includes(seed);
      return {
        contender,
        seed,
        measures: { ...madeMeasures(span, isEndless), energy_joules: joules * span },
      };
    }),
  );
  const bounds = seeds.map((seed) => ({
    seed,
    lower_bound_seconds: 80,
    longest_first_seconds: 90,
  }));
  const compared = { contenders, seeds, runs };
  const measures = compareMeasures(compared);
  const deciding = decidingMeasure(measures, hasManyJobs);
  const choice = choiceOf(compared, bounds, { measures, deciding });
  return {
    scenario,
    is_shipped: false,
    trace: making.trace ?? null,
    about,
    definition: making.definition ?? { scenario, devices: [], jobs: [] },
    definition_sha256: 'f'.repeat(64),
    seeds,
    contenders,
    bounds,
    runs,
    missing,
    measures,
    deciding_measure: deciding,
    choice,
    verdict: verdictOf({ deciding, measures, choice, runs }),
    ...(making.hasDecisionTimes === true && {
      decision_times: contenders.map((contender, place) => madeTime(contender, 2 + place)),
    }),
  };
}

function madeTime(contender: string, microseconds: number): DecisionTime {
  const spread = {
    decisions: 1200,
    mean_microseconds: 3 * microseconds,
    p50_microseconds: microseconds,
    p95_microseconds: 2 * microseconds,
  };
  const by_candidates = [{ at_least: 11, at_most: 100, ...spread }];
  return { contender, ...spread, clock_microseconds: 0.2, by_candidates };
}

function madeMeasures(span: number, hasNoEnd: boolean): Measures {
  return {
    makespan_seconds: hasNoEnd ? null : span,
    throughput_tasks_per_second: 100 / span,
    jains_index: 0.5 + 10 / span,
    waiting_seconds_mean: span / 3,
    waiting_seconds_p95: span / 2,
    turnaround_seconds_mean: span / 2,
    turnaround_seconds_p95: span * 0.9,
    job_turnaround_seconds_mean: span * 0.95,
    job_turnaround_seconds_p95: span,
    energy_joules: 1000 * span,
    work_wasted_seconds: 0,
    utilisation: 0.8,
    tasks_completed: 100,
    tasks_failed: 0,
    tasks_failed_percent: 0,
    attempts: 100,
    attempts_lost: 0,
    attempts_failed: 0,
    decisions: 100,
    contested_share: 0.25,
  };
}
