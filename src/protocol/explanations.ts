// What the interface answers about the scheduler's reasons: the criteria, why a task waits, the
// decision that placed it, and how the workers would rank.

import type { HindranceCode } from './hindrances.ts';
import type { TaskStatus } from './resources.ts';
import type { RankedWorkerResource } from './scheduling-info.ts';

/** One line of the table of criteria. */
export interface CriterionDescription {
  readonly id: string;
  /** Its name in `weights` of the configuration. */
  readonly config_key: string;
  readonly name: string;
  readonly meaning: string;
  readonly unit: string;
  readonly kind: 'benefit' | 'cost';
  /** Where the value comes from … */
  readonly source: string;
  /** … and how the one in the matrix is made of it. */
  readonly rule: string;
}

/** Why a task is where it is. */
export interface TaskExplanation {
  readonly job_id: string;
  readonly job_name: string | null;
  readonly task_id: string;
  readonly index: number;
  readonly status: TaskStatus;
  readonly attempt: number;
  /** One or two sentences. */
  readonly summary: string;
  /** Null unless the task is pending. */
  readonly waiting: TaskWaiting | null;
  /** The decision that placed the attempt that was asked for, or the newest one. */
  readonly decision: DecisionExplanation | null;
  /** Why there is no decision to show; null when there is one. */
  readonly decision_note: string | null;
  /** What happened to it, oldest first. */
  readonly story: readonly StoryLine[];
}

export interface StoryLine {
  readonly at: string | null;
  readonly text: string;
}

export type WaitingCode =
  | 'held'
  | 'retry_delay'
  | 'no_worker'
  | 'no_eligible_worker'
  | 'queued_behind'
  | 'workers_busy'
  | 'refused'
  | 'next';

export interface TaskWaiting {
  readonly code: WaitingCode;
  /** The code as a sentence. */
  readonly reason: string;
  readonly not_before: string | null;
  /** Tasks before it in the queue, at the one of its workers where fewest are; null while it is not in the queue. */
  readonly tasks_ahead: number | null;
  readonly worker_count: number;
  /** How many workers each reason holds for, most first. */
  readonly reasons: readonly {
    readonly code: HindranceCode;
    readonly text: string;
    readonly workers: number;
  }[];
  /** At most 200 workers: those that are nearest to taking the task. */
  readonly workers: readonly WaitingWorker[];
}

export interface WaitingWorker {
  readonly worker_id: string;
  readonly name: string | null;
  /** It may take the task now. */
  readonly eligible: boolean;
  readonly reasons: readonly { readonly code: HindranceCode; readonly text: string }[];
}

/** A past decision, with the table that it was made from. */
export interface DecisionExplanation {
  readonly at: string;
  readonly attempt: number;
  readonly algorithm: string;
  readonly weighting: 'manual' | 'entropy';
  readonly effective_weights: Readonly<Record<string, number>>;
  readonly worker_id: string;
  readonly reason: string;
  readonly score: number | null;
  /** The worker that would have got the task without the selected one; null when no other was left. */
  readonly runner_up: {
    readonly worker_id: string;
    readonly score: number | null;
    /** How much larger the score of the selected worker is; null without scores. */
    readonly difference: number | null;
  } | null;
  /** Other eligible workers with the same score. */
  readonly ties: readonly string[];
  /** Values of the shown workers that were imputed, or raised by assigned tasks. */
  readonly imputed: readonly CriterionOfWorker[];
  readonly projected: readonly CriterionOfWorker[];
  /** What workers that were not eligible lack for the job, as they are now. */
  readonly lacking: readonly { readonly worker_id: string; readonly text: string }[];
  readonly duration_microseconds: number;
  readonly worker_count: number;
  /** Best first, at most 200; the selected worker is always among them. */
  readonly workers: readonly RankedWorkerResource[];
}

export interface CriterionOfWorker {
  readonly worker_id: string;
  readonly criterion: string;
}

/** How the present cluster would rank; nothing is changed. */
export interface SchedulerPreview {
  readonly algorithm: string;
  readonly weighting: 'manual' | 'entropy';
  /** The weights as they would be configured. */
  readonly weights: Readonly<Record<string, number>>;
  readonly effective_weights: Readonly<Record<string, number>>;
  /** The worker that would get the next task; null when none is free. */
  readonly selected: string | null;
  readonly reason: string;
  readonly worker_count: number;
  /** Best first, at most 200; the selected worker is always among them. */
  readonly workers: readonly RankedWorkerResource[];
  /** Only when `tasks` was asked for: ids of the workers in the order in which they would get them. */
  readonly order?: readonly string[];
  /** Only when `tasks` was asked for: how many each worker would get, most first. */
  readonly placements?: readonly { readonly worker_id: string; readonly tasks: number }[];
  /** Only with `placements`: tasks that found no free slot. */
  readonly unplaced?: number;
}
