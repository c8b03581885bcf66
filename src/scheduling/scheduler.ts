// What a scheduling algorithm is: it looks at a snapshot, and names a row for one task after the other.
// It decides where, never whether: eligibility comes as a mask, and the core checks every placement
// again. A look costs O(workers); a task after it costs O(log workers), however many are placed.

import type { AlgorithmId, CriterionId, SchedulerConfig, Snapshot } from '../core/snapshot.ts';

export interface Scheduler {
  readonly algorithm: AlgorithmId;
  /** `submission`: job order, then index. `priority`: larger first, then submission order. */
  readonly queueOrder: 'submission' | 'priority';
  /**
   * Looks at the cluster anew: once per scheduling pass, before its first contest, which ends all
   * earlier contests. The statistics of the matrix (averages, extremes, weights by entropy) are those
   * of this moment until the next look. Holds on to the snapshot until then. O(workers).
   */
  begin(snapshot: Snapshot): void;
  /**
   * A contest among the workers with `eligible[row] === 1`. Several may be open at once, one per
   * set of requirements. The mask is copied. O(workers).
   */
  contest(eligible: Uint8Array): Contest;
  /**
   * The whole table behind the next choice among these, best first; changes nothing. Criteria and
   * details of a row are made when they are read, and must be read before the next task is taken.
   */
  rank(eligible: Uint8Array): Ranking;
  /** What it remembers beyond a snapshot (a turn, credits), as it stood at the last `begin`. */
  readonly memory: SchedulerMemory;
}

/** Who takes the next task. Deterministic for the same sequence of calls. */
export interface Contest {
  /**
   * The row that takes the next task, or -1 when nobody is left. A row in `except` is named only if
   * nobody else is left. Changes nothing: asked twice, it answers the same.
   */
  best(except?: readonly number[]): number;
  /** The row got the task, and its view in the snapshot says so by now. All open contests follow. */
  take(row: number): void;
  /** The row takes no more tasks in this contest. */
  drop(row: number): void;
}

export type SchedulerMemory =
  | { readonly type: 'none' }
  /** Round robin: the worker that had the last turn. */
  | { readonly type: 'turn'; readonly workerId: string | null }
  /** wrr: what each worker is owed, in tasks. `ids[i]` has `credits[i]`. */
  | { readonly type: 'credits'; readonly ids: readonly string[]; readonly credits: Float64Array };

/**
 * Makes a scheduler for a configuration. A changed configuration means a new scheduler. With the
 * memory of another one of the same configuration it goes on where that one stood.
 */
export type SchedulerFactory = (config: SchedulerConfig, memory?: SchedulerMemory) => Scheduler;

export interface Ranking {
  /** Normalised to sum 1; empty for algorithms that compare one thing. */
  readonly effectiveWeights: Readonly<Partial<Record<CriterionId, number>>>;
  readonly workers: readonly RankedWorker[];
  /** The row that a contest among the eligible would name, or -1; under wrr not always the first. */
  readonly selected: number;
  /** In words, for the selected worker: `highest appraisal score 0.81`. */
  readonly reason: string;
}

export interface RankedWorker {
  readonly workerId: string;
  /** Row in the snapshot. */
  readonly row: number;
  /** From 1, over all workers of the snapshot. */
  readonly rank: number;
  /** Null where the algorithm reads no metric (fifo, round_robin). */
  readonly score: number | null;
  readonly eligible: boolean;
  readonly criteria: Readonly<Partial<Record<CriterionId, CriterionScore>>>;
  readonly details: Readonly<Record<string, number | string>>;
}

export interface CriterionScore {
  /** Null when no worker says it: the column is left out and contributes nothing. */
  readonly value: number | null;
  readonly weight: number;
  readonly contribution: number;
  readonly kind: 'benefit' | 'cost';
  /** The worker did not say; the mean over the matrix stands in. */
  readonly imputed: boolean;
  /** Includes tasks assigned since the newest heartbeat. */
  readonly projected: boolean;
}
