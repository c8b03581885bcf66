// Between a work and the batch that runs it: what it asks for, and what it finds there.

import type { State } from '../../core/state.ts';
import type { IdempotencyRow, WorkerRow } from '../../store/rows.ts';

/** What a batch names and memory does not hold. */
export interface Wanted {
  readonly jobs: Set<string>;
  /** Indices by job id. */
  readonly tasks: Map<string, Set<number>>;
  /** Jobs of which every failed and cancelled task is wanted. */
  readonly retries: Set<string>;
  readonly workers: Set<string>;
  readonly idempotencyKeys: Set<string>;
  /** Hashes of blobs that something will refer to. */
  readonly blobs: Set<string>;
  /** How many checkpoints are stored. */
  checkpointCount: boolean;
}

export interface Visitors {
  /** Workers that are in the store but no longer registered. */
  readonly workers: ReadonlyMap<string, WorkerRow>;
  readonly idempotencyKeys: ReadonlyMap<string, IdempotencyRow>;
  /** Sizes in bytes of those that are there; touched, so that they stay. */
  readonly blobs: ReadonlyMap<string, number>;
  /** Checkpoints in the store, 0 when nobody wanted to know. */
  readonly storedCheckpoints: number;
  leave(state: State): void;
}

export function wantTask(state: State, wanted: Wanted, jobId: string, index: number): void {
  if (state.jobs.get(jobId)?.tasks.has(index) === true) return;
  const indices = wanted.tasks.get(jobId);
  if (indices === undefined) wanted.tasks.set(jobId, new Set([index]));
  else indices.add(index);
}
