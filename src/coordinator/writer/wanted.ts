// What a work asks to be read before its batch, and what it then finds there.

import type { JobRecord } from '../../core/records.ts';
import type { State } from '../../core/state.ts';
import type { IdempotencyRow, WorkerRow } from '../../store/rows.ts';
import type { ExpiringWanted } from '../../store/writing.ts';

/** What the works of a batch name and memory does not hold. */
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
  /** Whether these owners may see these blobs. */
  readonly sights: BlobSight[];
  /** Whether the number of stored checkpoints is wanted. */
  checkpointCount: boolean;
  /** Jobs that may have been kept for long enough; undefined: none. */
  expiring: ExpiringWanted | undefined;
}

export interface Visitors {
  /** Workers that are in the store but no longer registered. */
  readonly workers: ReadonlyMap<string, WorkerRow>;
  readonly idempotencyKeys: ReadonlyMap<string, IdempotencyRow>;
  /** Sizes in bytes of the blobs that exist; they are touched, so that they are not collected. */
  readonly blobs: ReadonlyMap<string, number>;
  /** Of those that were wanted, which may be seen; by `sightOf`. */
  readonly sights: ReadonlySet<string>;
  /** Checkpoints in the store; 0 when no work wanted the number. */
  readonly storedCheckpoints: number;
  /** Not held by memory, and without the entries of their priorities: for their removal only. */
  readonly expiring: readonly JobRecord[];
  leave(state: State): void;
}

export interface BlobSight {
  readonly sha256: string;
  readonly owner: string;
}

export function sightOf({ sha256, owner }: BlobSight): string {
  return `${sha256} ${owner}`;
}

export function wantTask(state: State, wanted: Wanted, jobId: string, index: number): void {
  if (state.jobs.get(jobId)?.tasks.has(index) === true) return;
  const indices = wanted.tasks.get(jobId);
  if (indices === undefined) wanted.tasks.set(jobId, new Set([index]));
  else indices.add(index);
}
