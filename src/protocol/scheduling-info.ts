// What the REST interface tells about the scheduler.

import type { Hindrance } from './hindrances.ts';

/** The scheduler, and why it decided as it last did. */
export interface SchedulingInfo {
  readonly algorithm: string;
  readonly weighting: 'manual' | 'entropy';
  readonly effective_weights: Readonly<Record<string, number>>;
  /** All waiting tasks, those in a pause before a retry included. */
  readonly pending_tasks: number;
  readonly active_tasks: number;
  readonly decisions_total: number;
  /** By the algorithm that made them. */
  readonly decisions_by_algorithm: Readonly<Record<string, number>>;
  readonly last_decision: LastDecision | null;
  /** The ranking behind the last decision; without one, the ranking as it would be now. */
  readonly workers: readonly RankedWorkerResource[];
}

export interface LastDecision {
  readonly at: string;
  readonly algorithm: string;
  readonly effective_weights: Readonly<Record<string, number>>;
  readonly task_id: string;
  readonly job_id: string;
  readonly worker_id: string;
  readonly reason: string;
  readonly duration_microseconds: number;
}

export interface RankedWorkerResource {
  readonly worker_id: string;
  readonly rank: number;
  readonly score: number | null;
  readonly eligible: boolean;
  /** Why it could not be chosen; empty when it could. */
  readonly reasons: readonly Hindrance[];
  readonly selected: boolean;
  readonly criteria: Readonly<Record<string, CriterionResource>>;
  readonly details: Readonly<Record<string, number | string>>;
}

export interface CriterionResource {
  /** Null when no worker reports it. */
  readonly value: number | null;
  readonly weight: number;
  readonly contribution: number;
  readonly kind: 'benefit' | 'cost';
  readonly imputed: boolean;
  readonly projected: boolean;
}
