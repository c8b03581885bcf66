// Makes a comparison of runs: intervals, differences to the best, ranks, and a verdict in plain sentences.

import { streamOf } from '../chance/stream.ts';
import type { Bounds } from '../outcome/bounds.ts';
import { comparedMeasures, type ComparedMeasure } from '../outcome/measures.ts';
import { Bootstrap, meanOf } from '../statistics/bootstrap.ts';
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
export function compareMeasures(
  compared: ComparedRuns,
): Readonly<Record<ComparedMeasure, MeasureComparison>> {
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
      interval: bootstrap.interval(values[place]!, level),
      mean_rank: meanOf(ranks.map((each) => each[place]!)),
      against_best:
        place === best
          ? null
          : againstBest(values[place]!, values[best]!, {
              sign,
              bootstrap,
              others: contenders.length - 1,
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
  how: { readonly sign: number; readonly bootstrap: Bootstrap; readonly others: number },
): PairedDifference {
  const paired = pairedDifference(values, best, how.bootstrap, 1 - (1 - level) / how.others);
  const mean = meanOf(best);
  const [low, high] = paired.interval;
  return {
    ...paired,
    relative: mean === 0 ? null : paired.difference / mean,
    relative_interval: mean === 0 ? null : [low / mean, high / mean],
    wins: shareLess(
      values.map((value) => how.sign * value),
      best.map((value) => how.sign * value),
    ),
  };
}

/** One job: when it is done. Several: how long each of them took. What did not end is told by its throughput. */
export function decidingMeasure(hasNoEnd: boolean, hasManyJobs: boolean): ComparedMeasure {
  if (hasNoEnd) return 'throughput_tasks_per_second';
  return hasManyJobs ? 'job_turnaround_seconds_mean' : 'makespan_seconds';
}

export function choiceOf(
  { contenders, seeds, runs }: ComparedRuns,
  bounds: readonly Bounds[],
  makespan: MeasureComparison,
): ChoiceSummary {
  const shares = runs.flatMap(({ measures }) => measures.contested_share ?? []);
  const best = contenders.indexOf(makespan.best ?? '');
  const over = (bound: (of: Bounds) => number | null) => {
    if (best < 0) return null;
    const ratios = seeds.flatMap((_, i) => {
      const span = runs[best * seeds.length + i]!.measures.makespan_seconds;
      const least = bound(bounds[i]!);
      return span === null || least === null || least === 0 ? [] : [span / least];
    });
    return ratios.length === 0 ? null : meanOf(ratios);
  };
  const means = makespan.contenders.flatMap(({ mean }) => mean ?? []);
  return {
    contested_share: shares.length === 0 ? null : meanOf(shares),
    best_over_lower_bound: over(({ lower_bound_seconds }) => lower_bound_seconds),
    best_over_oracle: over(({ longest_first_seconds }) => longest_first_seconds),
    worst_over_best: means.length === 0 ? null : Math.max(...means) / Math.min(...means),
  };
}
