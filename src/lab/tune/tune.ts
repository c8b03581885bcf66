// Looks for weights that are better than equal ones. The search plays a set of seeds; whether it has found anything
// is judged by seeds that it has never seen, else it would have found what suits their chance.
//
// Rounds of successive halving (Jamieson, Talwalkar: Non-stochastic Best Arm Identification and Hyperparameter
// Optimization, AISTATS 2016): many candidates with few seeds, the better half goes on with twice as many, joined by
// points near the best.

import {
  type AlgorithmId,
  type CriterionId,
  criterionIds,
  defaultWeights,
} from '../../core/snapshot.ts';
import { streamOf } from '../chance/stream.ts';
import type { Cell } from '../compare/cell.ts';
import { seedsFrom } from '../compare/compare.ts';
import { playCells, type PoolOptions } from '../compare/cell-pool.ts';
import { comparedMeasures, type ComparedMeasure } from '../outcome/measures.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { Bootstrap, type Interval, meanOf } from '../statistics/bootstrap.ts';
import { pairedDifference } from '../statistics/paired.ts';
import { corners, drawMixture, drawNear, type Mixture, mixtureOf, tidied } from './candidates.ts';

export interface TuneOptions extends PoolOptions {
  readonly scenario: Scenario;
  readonly algorithm: AlgorithmId;
  /** The measure that is to be better. */
  readonly measure: ComparedMeasure;
  /** Candidates of the first round. */
  readonly candidates: number;
  /** Seeds of the last round of the search. */
  readonly searchSeeds: number;
  /** Seeds of the verdict: others than those of the search. */
  readonly heldOutSeeds: number;
  /** Of the search itself. */
  readonly seed: number;
  /** Version of Muster. */
  readonly version: string;
}

/** What was found: `--json` prints it. */
export interface Tuning {
  /** Version of this form. */
  readonly tuning: 1;
  readonly muster: string;
  readonly scenario: string;
  readonly algorithm: AlgorithmId;
  readonly measure: ComparedMeasure;
  /** True: they are better than equal weights on seeds that the search has not seen, at 95 %. */
  readonly found: boolean;
  /** The best of the search, of sum 1. */
  readonly weights: Mixture;
  readonly equal_weights: Mixture;
  readonly held_out: {
    readonly seeds: readonly number[];
    readonly mean: number | null;
    readonly equal_mean: number | null;
    /** Found minus equal, by seed. */
    readonly difference: number | null;
    readonly interval: Interval | null;
  };
  readonly rounds: readonly TuningRound[];
}

export interface TuningRound {
  readonly candidates: number;
  readonly seeds: number;
  /** Mean of the measure of the best candidate, and of equal weights, over the seeds of the round. */
  readonly best: number | null;
  readonly equal: number | null;
}

/** Candidates near the best so far that join a round, as a share of those that went on. */
const joiningShare = 0.5;
const fewestSeeds = 3;
const level = 0.95;

export function runsOfTuning({
  candidates,
  searchSeeds,
  heldOutSeeds,
}: Pick<TuneOptions, 'candidates' | 'searchSeeds' | 'heldOutSeeds'>): number {
  const search = roundsOf(candidates, searchSeeds).reduce(
    (sum, round) => sum + (round.size + 1) * round.seeds,
    0,
  );
  return search + 2 * heldOutSeeds;
}

export async function tune(options: TuneOptions): Promise<Tuning> {
  const { scenario, algorithm, measure, seed, version, heldOutSeeds } = options;
  const search = new Search(options);
  const equal = mixtureOf(defaultWeights);
  const stream = streamOf(seed, 'tune');
  const ids = criteriaOf(scenario);
  const rounds: TuningRound[] = [];
  let survivors: readonly Mixture[] = corners(ids);
  for (const { size, seeds } of roundsOf(options.candidates, options.searchSeeds)) {
    const candidates = [...survivors];
    const isFirst = rounds.length === 0;
    while (candidates.length < size) {
      const near = survivors[candidates.length % Math.max(1, Math.min(3, survivors.length))]!;
      candidates.push(isFirst ? drawMixture(ids, stream) : drawNear(near, ids, 0.3, stream));
    }
    const means = await search.play([equal, ...candidates], seedsFrom(1, seeds));
    const order = candidates
      .map((mixture, i) => ({ mixture, mean: means[i + 1]! }))
      .sort((a, b) => search.compare(a.mean, b.mean));
    rounds.push({
      candidates: candidates.length,
      seeds,
      best: order[0]?.mean ?? null,
      equal: means[0] ?? null,
    });
    survivors = order
      .slice(0, Math.ceil(order.length / 2 / (1 + joiningShare)))
      .map((each) => each.mixture);
  }
  const weights = tidied(survivors[0]!);
  const seeds = seedsFrom(options.searchSeeds + 1, heldOutSeeds);
  const held = await search.values([weights, equal], seeds);
  const judged = judge(held[0]!, held[1]!, comparedMeasures[measure].better);
  return {
    tuning: 1,
    muster: version,
    scenario: scenario.scenario,
    algorithm,
    measure,
    found: judged.found,
    weights,
    equal_weights: equal,
    held_out: { seeds, ...judged.figures },
    rounds,
  };
}

/** Only what devices say, or the coordinator counts, can tell them apart. */
function criteriaOf({ devices }: Scenario): readonly CriterionId[] {
  const hasBattery = devices.some(({ battery }) => battery !== undefined);
  const hasBandwidth = devices.some(({ bandwidth_mbps: mbps }) => mbps !== undefined);
  return criterionIds.filter(
    (id) => (id !== 'battery' || hasBattery) && (id !== 'bandwidth' || hasBandwidth),
  );
}

/** Half as many candidates, twice as many seeds, until the last has all seeds. */
function roundsOf(
  candidates: number,
  searchSeeds: number,
): readonly { readonly size: number; readonly seeds: number }[] {
  const rounds: { size: number; seeds: number }[] = [];
  let [size, seeds] = [
    Math.max(candidates, criterionIds.length),
    Math.min(fewestSeeds, searchSeeds),
  ];
  for (;;) {
    rounds.push({ size, seeds });
    if (seeds === searchSeeds) return rounds;
    size = Math.max(2, Math.ceil(size / 2));
    seeds = Math.min(searchSeeds, seeds * 2);
  }
}

class Search {
  readonly #options: TuneOptions;
  #done = 0;

  constructor(options: TuneOptions) {
    this.#options = options;
  }

  /** By candidate: the mean of the measure; null when a run has none. */
  async play(
    candidates: readonly Mixture[],
    seeds: readonly number[],
  ): Promise<readonly (number | null)[]> {
    return (await this.values(candidates, seeds)).map((values) =>
      values.includes(null) ? null : meanOf(values as readonly number[]),
    );
  }

  /** By candidate, then by seed. */
  async values(
    candidates: readonly Mixture[],
    seeds: readonly number[],
  ): Promise<readonly (readonly (number | null)[])[]> {
    const { scenario, algorithm, measure, onDone, threads, signal } = this.#options;
    const cells = candidates.flatMap((weights) =>
      seeds.map(
        (seed): Cell => ({
          scenario: { ...scenario, weights, weighting: 'manual' },
          contender: { algorithm },
          seed,
          wantsBounds: false,
          wantsDecisionTimes: false,
        }),
      ),
    );
    const before = this.#done;
    const results = await playCells(cells, {
      threads,
      signal,
      onDone: (done) => onDone?.(before + done),
    });
    this.#done += cells.length;
    if (signal?.aborted === true) throw new TuneInterrupted();
    return candidates.map((_, place) =>
      seeds.map((_seed, i) => results[place * seeds.length + i]!.measures[measure]),
    );
  }

  /** The better first; what has no value last. */
  compare(a: number | null, b: number | null): number {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    return comparedMeasures[this.#options.measure].better === 'less' ? a - b : b - a;
  }
}

/** It was asked to end before it knew anything. */
export class TuneInterrupted extends Error {
  override readonly name = 'TuneInterrupted';

  constructor() {
    super('The search was interrupted before it could judge what it had found.');
  }
}

function judge(
  found: readonly (number | null)[],
  equal: readonly (number | null)[],
  better: 'less' | 'more',
) {
  const none = { mean: null, equal_mean: null, difference: null, interval: null };
  if ([...found, ...equal].includes(null)) return { found: false, figures: none };
  const [one, other] = [found as readonly number[], equal as readonly number[]];
  const paired = pairedDifference(
    one,
    other,
    new Bootstrap(one.length, streamOf(one.length, 'bootstrap')),
    level,
  );
  const { difference, interval } = paired;
  const isBetter = interval !== null && (better === 'less' ? interval[1] < 0 : interval[0] > 0);
  return {
    found: isBetter,
    figures: { mean: meanOf(one), equal_mean: meanOf(other), difference, interval },
  };
}
