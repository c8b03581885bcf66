// The numbers that the coordinator tells each second.

import type { TaskCounts } from '../../../protocol/resources.ts';

export interface Eta {
  readonly seconds: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** How it was told, or why it cannot be told: sentences. */
  readonly method: string | null;
  readonly reason: string | null;
}

export interface OpenJobCounters {
  readonly job_id: string;
  readonly counts: TaskCounts;
  readonly progress: number;
  readonly rate_per_second: number | null;
  readonly eta: Eta;
}

export interface Counters {
  readonly at: string;
  readonly tasks: TaskCounts;
  readonly completed_since: number;
  readonly failed_since: number;
  readonly interval_seconds: number;
  readonly jobs: {
    readonly open: number;
    readonly pending: number;
    readonly running: number;
    readonly completed: number;
    readonly failed: number;
    readonly cancelled: number;
  };
  readonly workers: {
    readonly online: number;
    readonly busy: number;
    readonly offline: number;
    readonly waiting: number;
    readonly draining: number;
    readonly quarantined: number;
  };
  readonly slots: { readonly total: number; readonly taken: number };
  readonly open_jobs: readonly OpenJobCounters[];
  readonly open_jobs_left_out: number;
}

type CountersListener = (told: Counters) => void;

const listeners = new Set<CountersListener>();

/** Every one, also while nothing is shown: for what adds up. Returns what ends it. */
export function listenToCounters(listener: CountersListener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function tellCounters(told: Counters): void {
  for (const listener of listeners) listener(told);
}
