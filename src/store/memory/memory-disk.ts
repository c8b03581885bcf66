// The data that survives a simulated crash. Rows are kept as they are given: the caller must not change
// one afterwards.

import type { CheckpointState } from '../../core/commands.ts';
import type { SchedulerConfig } from '../../core/snapshot.ts';
import { noTotals, type Totals } from '../../core/totals.ts';
import type {
  AttemptRow,
  AuditRow,
  BlobRow,
  CheckpointRow,
  IdempotencyRow,
  JobRow,
  NotificationRow,
  ProgramText,
  RecoveryRow,
  TaskRow,
  TokenRow,
  TraceRow,
  ThroughputSum,
  WorkerRow,
  WorkRow,
} from '../rows.ts';

export interface MemoryDisk {
  generation: number;
  sequence: number;
  config: SchedulerConfig | null;
  lastCommitAt: number | null;
  totals: Totals;
  nextJobKey: number;
  nextWorkerKey: number;
  nextRecoveryId: number;
  nextCheckpointId: number;
  nextAuditId: number;
  readonly jobs: Map<number, JobFolder>;
  readonly jobKeys: Map<string, number>;
  /** Programs by their hash. */
  readonly programs: Map<string, StoredProgram>;
  readonly workers: Map<string, WorkerRow>;
  readonly recoveries: Map<number, RecoveryRow>;
  readonly notifications: Map<number, NotificationRow>;
  readonly idempotencyKeys: Map<string, IdempotencyRow>;
  readonly tokens: Map<string, TokenRow>;
  /** Oldest first. */
  audit: readonly AuditRow[];
  /** Oldest first. */
  schedulerChanges: readonly SchedulerConfig[];
  /** Kept states, by the id of their checkpoint. */
  readonly states: Map<number, KeptState>;
  readonly blobs: Map<string, StoredBlob>;
  /** Inputs of submissions that are not visible yet, and of dropped ones until they are swept. */
  readonly staged: Map<number, StagedInputs>;
  /** The rows of `JobFolder.attempts` by worker. */
  readonly failures: Map<string, Set<AttemptRow>>;
  /** Rises with every store that opens the disk: an older one, from before a crash, is shut out. */
  opened: number;
}

interface StoredProgram {
  readonly text: ProgramText;
  /** Keys of the jobs with this program; it is removed with the last one. */
  readonly jobs: Set<number>;
}

/** A job and all that belongs to it. */
export interface JobFolder {
  row: JobRow;
  /** Key in `MemoryDisk.programs`. */
  programSha256: string | null;
  inputs: readonly string[];
  readonly tasks: Map<number, TaskRow>;
  /** Indices of `tasks` in order; null when one was added since. */
  order: readonly number[] | null;
  /** Ended attempts by index, then by number. */
  readonly attempts: Map<number, Map<number, AttemptRow>>;
  /** Traces by index, then by the number of the attempt. */
  readonly traces: Map<number, Map<number, TraceRow>>;
  /** Checkpoints in the order of their ids. */
  readonly checkpoints: CheckpointRow[];
  /** Checkpoints whose state is kept, by index, oldest first. */
  readonly kept: Map<number, readonly CheckpointRow[]>;
  /** Hashes of blobs that the job needs. */
  readonly blobs: Set<string>;
  /** Work by bucket and worker. */
  readonly work: Map<string, WorkRow>;
  /** What ended in each second, by the begin of the second. */
  readonly seconds: Map<number, ThroughputSum>;
}

/** The state of a checkpoint, and the task that it belongs to. */
interface KeptState {
  readonly state: CheckpointState;
  readonly checkpoint: CheckpointRow;
}

export interface StoredBlob {
  readonly row: BlobRow;
  readonly generation: number;
  readonly bytes: Uint8Array;
  /** Who has put it. */
  readonly owners: Set<string>;
  /** Whose jobs have referred to it: it counts as theirs, and gives no right. */
  readonly broughtTo: Set<string>;
}

interface StagedInputs {
  readonly inputs: string[];
  readonly blobs: Set<string>;
  dropped: boolean;
}

export function createMemoryDisk(): MemoryDisk {
  return {
    generation: 1,
    sequence: 0,
    config: null,
    lastCommitAt: null,
    totals: noTotals(),
    nextJobKey: 1,
    nextWorkerKey: 1,
    nextRecoveryId: 1,
    nextCheckpointId: 1,
    nextAuditId: 1,
    jobs: new Map(),
    jobKeys: new Map(),
    programs: new Map(),
    workers: new Map(),
    recoveries: new Map(),
    notifications: new Map(),
    idempotencyKeys: new Map(),
    tokens: new Map(),
    audit: [],
    schedulerChanges: [],
    states: new Map(),
    blobs: new Map(),
    staged: new Map(),
    failures: new Map(),
    opened: 0,
  };
}
