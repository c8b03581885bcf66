// Makes a comparison of runs: intervals, differences to the best, ranks, and a verdict in plain sentences.

import { streamOf } from '../chance/stream.ts';
import type { Bounds } from '../outcome/bounds.ts';
import { comparedMeasures, type ComparedMeasure } from '../outcome/measures.ts';
import { Bootstrap, meanOf } from '../statistics/bootstrap.ts';
import { meanInterval } from '../statistics/mean-interval.ts';
import { pairedDifference, ranksOf, shareLess } from '../statistics/paired.ts';
import type {
  ChoiceSummary,
  ContenderSummary,
  MeasureComparison,
  PairedDifference,
  RunOfComparison,
} from './comparison.ts';

const level = 0.95;

export interface ComparedRuns {
  readonly contenders: readonly string[];
  readonly seeds: readonly number[];
  /** By contender, then by seed. */
  readonly runs: readonly RunOfComparison[];
}

/** By measure; where a contender lacks the measure in a run, that seed counts for nobody. */
export function compareMeasures(compared: ComparedRuns): AllCompared {
  const bootstraps = new Map<number, Bootstrap>();
  const bootstrapOf = (size: number) => {
    let found = bootstraps.get(size);
    if (found === undefined) {
      found = new Bootstrap(size, streamOf(size, 'bootstrap'));
      bootstraps.set(size, found);
    }
    return found;
  };
  const ids = Object.keys(comparedMeasures) as ComparedMeasure[];
  return Object.fromEntries(
    ids.map((id) => [id, compareMeasure(id, compared, bootstrapOf)]),
  ) as Record<ComparedMeasure, MeasureComparison>;
}

function compareMeasure(
  id: ComparedMeasure,
  { contenders, seeds, runs }: ComparedRuns,
  bootstrapOf: (size: number) => Bootstrap,
): MeasureComparison {
  const all = contenders.map((_, place) =>
    seeds.map((_seed, i) => runs[place * seeds.length + i]!.measures[id]),
  );
  const whole = seeds.flatMap((_, i) => (all.every((values) => values[i] !== null) ? [i] : []));
  const values = all.map((each) => whole.map((i) => each[i]!));
  if (whole.length === 0) {
    return { contenders: contenders.map(unmeasured), best: null, not_worse_than_best: [] };
  }
  const bootstrap = bootstrapOf(whole.length);
  const sign = comparedMeasures[id].better === 'less' ? 1 : -1;
  const means = values.map(meanOf);
  const best = means.reduce(
    (least, mean, i) => (sign * mean < sign * means[least]! ? i : least),
    0,
  );
  const ranks = whole.map((_, i) => ranksOf(values.map((each) => sign * each[i]!)));
  const summaries = contenders.map(
    (contender, place): ContenderSummary => ({
      contender,
      runs: whole.length,
      mean: means[place]!,
      interval: meanInterval(values[place]!, bootstrap, level),
      mean_rank: meanOf(ranks.map((each) => each[place]!)),
      against_best:
        place === best
          ? null
          : againstBest(values[place]!, values[best]!, {
              sign,
              bootstrap,
              contenders: contenders.length,
            }),
    }),
  );
  return {
    contenders: summaries,
    best: contenders[best]!,
    not_worse_than_best: summaries
      .filter(({ against_best }) => against_best?.is_different !== true)
      .map(({ contender }) => contender),
  };
}

function unmeasured(contender: string): ContenderSummary {
  return { contender, runs: 0, mean: null, interval: null, mean_rank: null, against_best: null };
}

function againstBest(
  values: readonly number[],
  best: readonly number[],
  how: { readonly sign: number; readonly bootstrap: Bootstrap; readonly contenders: number },
): PairedDifference {
  // Which of them is the best is seen only by looking at all: any pair could have been the one.
  const pairs = (how.contenders * (how.contenders - 1)) / 2;
  const paired = pairedDifference(values, best, how.bootstrap, 1 - (1 - level) / pairs);
  const mean = meanOf(best);
  const { interval } = paired;
  return {
    ...paired,
    relative: mean === 0 ? null : paired.difference / mean,
    relative_interval:
      mean === 0 || interval === null ? null : [interval[0] / mean, interval[1] / mean],
    wins: shareLess(
      values.map((value) => how.sign * value),
      best.map((value) => how.sign * value),
    ),
  };
}

/** One job: when it is done. Several: how long each of them took. */
export function usualMeasure(hasManyJobs: boolean): ComparedMeasure {
  return hasManyJobs ? 'job_turnaround_seconds_mean' : 'makespan_seconds';
}

/**
 * What did not end is told by its throughput. Who lets more tasks fail than others is not better for being done
 * earlier.
 */
export function decidingMeasure(
  { makespan_seconds: makespan, tasks_failed_percent: failed }: AllCompared,
  hasManyJobs: boolean,
): ComparedMeasure {
  if (makespan.best === null) return 'throughput_tasks_per_second';
  const isTold = failed.contenders.some(({ against_best }) => against_best?.is_different === true);
  return isTold ? 'tasks_failed_percent' : usualMeasure(hasManyJobs);
}

export type AllCompared = Readonly<Record<ComparedMeasure, MeasureComparison>>;

export function choiceOf(
  { contenders, seeds, runs }: ComparedRuns,
  bounds: readonly Bounds[],
  {
    measures: all,
    deciding,
  }: { readonly measures: AllCompared; readonly deciding: ComparedMeasure },
): ChoiceSummary {
  const { makespan_seconds: makespan } = all;
  const shares = runs.flatMap(({ measures }) => measures.contested_share ?? []);
  const best = contenders.indexOf(makespan.best ?? '');
  const over = (bound: (of: Bounds) => number | null) => {
    if (best < 0) return null;
    const ratios = seeds.flatMap((_, i) => {
      const { makespan_seconds: span, tasks_failed } = runs[best * seeds.length + i]!.measures;
      const least = bound(bounds[i]!);
      // Work that failed need not be done.
      if (span === null || least === null || least === 0 || tasks_failed > 0) return [];
      return [span / least];
    });
    return ratios.length === 0 ? null : meanOf(ratios);
  };
  const means = all[deciding].contenders.flatMap(({ mean }) => mean ?? []);
  const [least, most] = [Math.min(...means), Math.max(...means)];
  return {
    contested_share: shares.length === 0 ? null : meanOf(shares),
    best_over_lower_bound: over(({ lower_bound_seconds }) => lower_bound_seconds),
    best_over_longest_first: over(({ longest_first_seconds }) => longest_first_seconds),
    spread: means.length < 2 || least <= 0 ? null : most / least,
  };
}
