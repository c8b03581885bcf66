// What survives a simulated crash. Rows are kept as they are given: whoever writes one must not
// change it afterwards.

import type { SchedulerConfig } from '../../core/snapshot.ts';
import type {
  AttemptRow,
  IdempotencyRow,
  JobRow,
  RecoveryRow,
  TaskRow,
  ThroughputSum,
  WorkerRow,
  WorkRow,
} from '../rows.ts';

export interface MemoryDisk {
  generation: number;
  sequence: number;
  config: SchedulerConfig | null;
  lastCommitAt: number | null;
  nextJobKey: number;
  nextWorkerKey: number;
  nextRecoveryId: number;
  readonly jobs: Map<number, JobFolder>;
  readonly jobKeys: Map<string, number>;
  readonly workers: Map<string, WorkerRow>;
  readonly recoveries: Map<number, RecoveryRow>;
  readonly idempotencyKeys: Map<string, IdempotencyRow>;
  /** Inputs of submissions that are not visible yet, and of dropped ones until they are swept. */
  readonly staged: Map<number, StagedInputs>;
  /** The rows of `JobFolder.attempts` by worker. */
  readonly failures: Map<string, Set<AttemptRow>>;
  /** Rises with every store that opens it: an older one, of before the crash, is shut out. */
  opened: number;
}

/** A job and all that belongs to it. */
export interface JobFolder {
  row: JobRow;
  programJson: string | undefined;
  inputs: readonly string[];
  readonly tasks: Map<number, TaskRow>;
  /** Indices of `tasks` in order; null when one was added since. */
  order: readonly number[] | null;
  /** By index, then by attempt. */
  readonly attempts: Map<number, Map<number, AttemptRow>>;
  /** By bucket and worker. */
  readonly work: Map<string, WorkRow>;
  /** What ended in each second, by its beginning. */
  readonly seconds: Map<number, ThroughputSum>;
}

interface StagedInputs {
  readonly inputs: string[];
  dropped: boolean;
}

export function createMemoryDisk(): MemoryDisk {
  return {
    generation: 1,
    sequence: 0,
    config: null,
    lastCommitAt: null,
    nextJobKey: 1,
    nextWorkerKey: 1,
    nextRecoveryId: 1,
    jobs: new Map(),
    jobKeys: new Map(),
    workers: new Map(),
    recoveries: new Map(),
    idempotencyKeys: new Map(),
    staged: new Map(),
    failures: new Map(),
    opened: 0,
  };
}
