// What a comparison says: `--json` prints it, the report draws it. Everything in it follows from the scenarios, the
// contenders, the seeds and the version of Muster, but for decision times, which are there only when they were asked for.

import type { Bounds } from '../outcome/bounds.ts';
import type { TraceOrigin } from '../trace/recorded-plan.ts';
import type { Paired } from '../statistics/paired.ts';
import type { Interval } from '../statistics/bootstrap.ts';
import type { DecisionTime } from '../outcome/decision-times.ts';
import type { ComparedMeasure, Measures } from '../outcome/measures.ts';

export interface Comparison {
  /** Version of this form. */
  readonly comparison: 1;
  /** Version of Muster that played it. */
  readonly muster: string;
  /** As they were asked for; null: scenarios are played with different ones. */
  readonly seeds: readonly number[] | null;
  readonly contenders: readonly ContenderOrigin[];
  readonly scenarios: readonly ScenarioComparison[];
}

/** One of the nine, or a module. */
export type ContenderOrigin =
  | { readonly name: string; readonly algorithm: string }
  | {
      readonly name: string;
      /** Without its folder. */
      readonly file: string;
      /** Of its text as it was when the comparison began, hex; modules that it imports are not in it. */
      readonly sha256: string;
    };

export interface ScenarioComparison {
  readonly scenario: string;
  /** It comes with Muster under this name. */
  readonly is_shipped: boolean;
  /** Null: it is a scenario, and its definition is all of it. */
  readonly trace: TraceOrigin | null;
  readonly about: string;
  /** As it was played, every default filled in; of a trace: what it says of itself. */
  readonly definition: unknown;
  /** SHA-256 of the definition as JSON, hex. */
  readonly definition_sha256: string;
  readonly seeds: readonly number[];
  /** Ids of algorithms, and of schedulers of one's own. */
  readonly contenders: readonly string[];
  /** By seed. */
  readonly bounds: readonly (Bounds & { readonly seed: number })[];
  /** By contender, then by seed. */
  readonly runs: readonly RunOfComparison[];
  /** Runs that were asked for and are not there: it was interrupted. */
  readonly missing: number;
  readonly measures: Readonly<Record<ComparedMeasure, MeasureComparison>>;
  /** The measure that the verdict goes by. */
  readonly deciding_measure: ComparedMeasure;
  /** Does the choice matter here at all. */
  readonly choice: ChoiceSummary;
  /** Plain sentences. */
  readonly verdict: readonly string[];
  /** By contender, of all whole seeds together. Measured, so it does not repeat; only when it was asked for. */
  readonly decision_times?: readonly DecisionTime[];
}

export interface RunOfComparison {
  readonly contender: string;
  readonly seed: number;
  readonly measures: Measures;
}

export interface MeasureComparison {
  readonly contenders: readonly ContenderSummary[];
  /** The contender with the best mean; null when nothing was measured. */
  readonly best: string | null;
  /** Those that cannot be told from the best at 95 %, the best included. */
  readonly not_worse_than_best: readonly string[];
}

export interface ContenderSummary {
  readonly contender: string;
  /** Runs that have the measure. */
  readonly runs: number;
  readonly mean: number | null;
  /** 95 % interval of the mean over seeds (`mean-interval.ts`); null with a single seed. */
  readonly interval: Interval | null;
  /** Mean rank over seeds, 1 is best, ties share. */
  readonly mean_rank: number | null;
  /** Paired with the best by seed; null for the best itself. */
  readonly against_best: PairedDifference | null;
}

/**
 * This contender minus the best, by seed. The interval is of 95 % for all pairs of contenders together (Bonferroni):
 * one of them is told different by chance not more often than once in twenty comparisons.
 */
export interface PairedDifference extends Paired {
  /** The difference and its interval as shares of the mean of the best; null when that is 0. */
  readonly relative: number | null;
  readonly relative_interval: Interval | null;
  /** Share of seeds in which it was better than the best, ties by half. */
  readonly wins: number;
}

export interface ChoiceSummary {
  /** Mean over all runs: decisions with more than one worker to choose from. */
  readonly contested_share: number | null;
  /** Mean over seeds of makespan / lower bound of the best contender, and / that of longest task first. */
  readonly best_over_lower_bound: number | null;
  readonly best_over_longest_first: number | null;
  /** The largest mean of the deciding measure / the least; null when that is 0, and of one contender. */
  readonly spread: number | null;
}
