// How many there are of everything: the event `counters`.

import type { JobEta, JobOutlook } from './estimates.ts';
import type { JobStatus, TaskCounts } from './resources.ts';
import type { WorkerStatus } from './workers.ts';

export interface Counters {
  readonly type: 'counters';
  readonly at: string;
  /** Since the counters before. */
  readonly interval_seconds: number;
  /** Of all jobs that have not ended. */
  readonly tasks: TaskCounts;
  readonly completed_since: number;
  /** For good. */
  readonly failed_since: number;
  readonly jobs: Readonly<Record<'open' | JobStatus, number>>;
  readonly workers: Readonly<Record<WorkerStatus, number>>;
  /** Of workers that are not offline. */
  readonly slots: { readonly total: number; readonly taken: number };
  /** The oldest first. */
  readonly open_jobs: readonly OpenJob[];
  readonly open_jobs_left_out: number;
}

export interface OpenJob extends Omit<JobOutlook, 'eta'> {
  /** The sentence of the method only where a single job is asked for: of all it would be most of the event. */
  readonly eta: Omit<JobEta, 'method'> & Partial<Pick<JobEta, 'method'>>;
  readonly job_id: string;
  readonly counts: TaskCounts;
  readonly progress: number;
}
