// What must be known of an attempt for its input, program and state to be read: all of it is in the records of the
// coordinator that has assigned it, and a part in those of a member that is told of it.

import type { CheckpointRecord, JobSpec } from '../../core/records.ts';

/** An attempt as far as something is read for it. One job is one object. */
export interface Needing {
  readonly task: {
    readonly job: NeedingJob;
    readonly index: number;
    readonly checkpoints: readonly SavedState[];
  };
  readonly resumedFrom: Pick<SavedState, 'id'> | null;
}

export interface NeedingJob {
  readonly spec: Pick<JobSpec, 'key' | 'rangeStart'>;
}

export type SavedState = Pick<
  CheckpointRecord,
  'id' | 'sequence' | 'progress' | 'sizeBytes' | 'sha256'
>;
