// What a scheduling algorithm is: it looks at a snapshot and names a row. It decides where, never
// whether: eligibility comes as a mask, and the core checks every placement again.

import type { AlgorithmId, CriterionId, SchedulerConfig, Snapshot } from '../core/snapshot.ts';

export interface Scheduler {
  readonly algorithm: AlgorithmId;
  /** `submission`: job order, then index. `priority`: larger first, then submission order. */
  readonly queueOrder: 'submission' | 'priority';
  /**
   * The row of `snapshot.workers` that takes the next task, or -1 when none is eligible.
   * `eligible[row]` is 1 for a worker that may take it. Deterministic for the same sequence of
   * calls. Keeps no reference to the snapshot. Costs no allocation while `snapshot.version` stands.
   */
  select(snapshot: Snapshot, eligible: Uint8Array): number;
  /** The whole table behind a choice, best first; computed on demand, changes nothing. */
  rank(snapshot: Snapshot, eligible: Uint8Array): Ranking;
}

/** Makes a scheduler for a configuration. A changed configuration means a new scheduler. */
export type SchedulerFactory = (config: SchedulerConfig) => Scheduler;

export interface Ranking {
  /** Normalised to sum 1; empty for algorithms that compare one thing. */
  readonly effectiveWeights: Readonly<Partial<Record<CriterionId, number>>>;
  readonly workers: readonly RankedWorker[];
  /** The row that `select` would return now, or -1. Under wrr it need not be the best one. */
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
