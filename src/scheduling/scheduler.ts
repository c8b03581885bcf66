// The interface of a scheduling algorithm: it takes a snapshot, and names a row for one task after the
// other. It decides where a task runs, never whether: eligibility comes as a mask, and the core checks
// every placement again. `begin` costs O(workers), each task after it O(log workers).

import type { AlgorithmId, CriterionId, SchedulerConfig, Snapshot } from '../core/snapshot.ts';

export interface Scheduler {
  readonly algorithm: AlgorithmId;
  /** `submission`: job order, then index. `priority`: larger first, then submission order. */
  readonly queueOrder: 'submission' | 'priority';
  /**
   * Takes over the snapshot; ends all earlier contests. Called once per scheduling pass, before its first
   * contest. The statistics of the matrix (averages, extremes, weights by entropy) are those of this moment
   * until the next `begin`; the snapshot is kept until then. O(workers).
   */
  begin(snapshot: Snapshot): void;
  /**
   * Opens a contest among the workers with `eligible[row] === 1`: they are the candidates for tasks of one
   * set of requirements. Several contests may be open at once. The mask is copied. O(workers).
   */
  contest(eligible: Uint8Array): Contest;
  /**
   * The whole table behind the next choice among these rows, best first; changes nothing. Criteria and
   * details of a row are made when they are read, and must be read before the next task is taken.
   */
  rank(eligible: Uint8Array): Ranking;
  /** What it remembers from pass to pass (a turn, credits), as it was at the last `begin`. */
  readonly memory: SchedulerMemory;
}

/** Candidates for the next task. Deterministic for the same sequence of calls. */
export interface Contest {
  /**
   * The row that should get the next task, or -1 when no candidate is left. A row in `except` is named only
   * if no other is left. Changes nothing: called twice, it returns the same.
   */
  best(except?: readonly number[]): number;
  /** The row got the task, which its view in the snapshot shows already. All open contests take it into account. */
  take(row: number): void;
  /** The row is no longer a candidate in this contest. */
  drop(row: number): void;
}

export type SchedulerMemory =
  | { readonly type: 'none' }
  /** Round robin: the worker that had the last turn. */
  | { readonly type: 'turn'; readonly workerId: string | null }
  /** wrr: what each worker is owed, in tasks. `ids[i]` has `credits[i]`. */
  | { readonly type: 'credits'; readonly ids: readonly string[]; readonly credits: Float64Array };

/**
 * Makes a scheduler for a configuration. A changed configuration means a new scheduler. With the memory of
 * another scheduler of the same configuration it goes on where that one was.
 */
export type SchedulerFactory = (config: SchedulerConfig, memory?: SchedulerMemory) => Scheduler;

export interface Ranking {
  /** Normalised to sum 1; empty for algorithms that compare one criterion only. */
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

/** A scheduler whose rankings can be read by column. */
export interface TabledScheduler extends Scheduler {
  rank(eligible: Uint8Array): TabledRanking;
}

export interface TabledRanking extends Ranking {
  /** The same as `workers`, for who tells all rows: those are made when they are asked for. */
  readonly table: RankingTable;
}

/** To be read like a ranking: before the next task is taken. */
export interface RankingTable {
  /** Rows, best first. */
  readonly order: readonly number[];
  /** None where the algorithm compares no criteria. */
  readonly columns: readonly RankedColumn[];
  idOf(row: number): string;
  scoreOf(row: number): number | null;
  isEligible(row: number): boolean;
  detailsOf(row: number): RankedWorker['details'];
}

/** A criterion of all rows; arrays are by row. */
export interface RankedColumn {
  readonly id: CriterionId;
  readonly weight: number;
  readonly kind: CriterionScore['kind'];
  /** False when no worker says it: then the value of all rows is null. */
  readonly isPresent: boolean;
  readonly values: Float64Array;
  /** 1 where it holds, as in `CriterionScore`. */
  readonly imputed: Uint8Array;
  readonly projected: Uint8Array;
  /** Of a row with this value. */
  contributionOf(value: number): number;
}
