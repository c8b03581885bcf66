// What everybody may ask of a store. Nothing here changes anything.

import type { CheckpointState } from '../core/commands.ts';
import type { JobStatus, TaskStatus } from '../core/records.ts';
import type {
  AttemptRow,
  BlobRow,
  CheckpointRow,
  CheckpointSum,
  DamagedTask,
  EndedJob,
  JobRow,
  ProgramText,
  RecoveryRow,
  RecoverySum,
  StoredTask,
  TaskRow,
  ThroughputSum,
  WorkerRow,
  WorkSum,
} from './rows.ts';

export interface Reading extends JobReading, TaskReading, BlobReading, HistoryReading {}

/** Jobs and what belongs to them as a whole. */
export interface JobReading {
  findJob(id: string): Promise<JobRow | undefined>;
  /** Without its task priorities, which can be megabytes: null here. */
  findJobHead(id: string): Promise<JobRow | undefined>;
  /**
   * Newest first, at most `limit`, those before `beforeKey` in that order. Task priorities, which can
   * be megabytes, are not read: `spec.taskPriorities` is null here.
   */
  listJobs(filter: JobFilter, beforeKey: number | null, limit: number): Promise<readonly JobRow[]>;
  findProgram(jobKey: number): Promise<ProgramText | undefined>;
  /** Its `sha256` alone: the text may be megabytes. */
  findProgramHash(jobKey: number): Promise<string | undefined>;
  /**
   * JSON texts for the given indices, in their order; empty when the job cannot be seen. Only for
   * jobs that are not ranges, and indices that they have: anything else is a bug and throws.
   */
  readInputs(jobKey: number, indices: readonly number[]): Promise<readonly string[]>;
}

/** Tasks and their attempts. */
export interface TaskReading {
  /** Existing rows in index order from `fromIndex` on, at most `limit`; `resultJson` is null. */
  listTasks(jobKey: number, fromIndex: number, limit: number): Promise<readonly TaskRow[]>;
  /**
   * Final rows in index order with their results, at most `limit` rows and about `bytes` bytes. What
   * is damaged is told in its place.
   */
  listResults(
    jobKey: number,
    fromIndex: number,
    limit: number,
    bytes: number,
  ): Promise<readonly (TaskRow | DamagedTask)[]>;
  /**
   * Rows of one status in index order, without results (`retry` reads the failed ones). A rare
   * status in a large job is looked for in turns.
   */
  listTasksByStatus(
    jobKey: number,
    status: Exclude<TaskStatus, 'running'>,
    fromIndex: number,
    limit: number,
  ): Promise<readonly StoredTask[]>;
  findTask(jobKey: number, index: number): Promise<TaskRow | undefined>;
  /** Attempts of one task that did not succeed, oldest first. A damaged error says so in its place. */
  listAttempts(jobKey: number, index: number): Promise<readonly AttemptRow[]>;
  /** Failures of a worker of this generation, newest first. */
  listFailures(workerId: string, limit: number): Promise<readonly AttemptRow[]>;
}

export interface BlobReading {
  findBlob(sha256: string): Promise<BlobRow | undefined>;
  readBlob(sha256: string): Promise<Uint8Array | undefined>;
  /**
   * The bytes from one on, as many as are at hand: none at the end only. Undefined when it is gone,
   * also in the middle.
   */
  readBlobPart(sha256: string, fromByte: number): Promise<Uint8Array | undefined>;
}

/**
 * What was lost, saved and done. Sums are for evaluation: each looks at no more than it must, and gives
 * the event loop a turn every 10 ms.
 */
export interface HistoryReading {
  /** Newest first, at most `limit`, those with an id below `beforeId`. */
  listRecoveries(
    beforeId: number | null,
    limit: number,
    filter?: { readonly jobKey?: number },
  ): Promise<readonly RecoveryRow[]>;
  /** Of a job, or of one task of it; oldest first, at most `limit`, those with an id above `afterId`. */
  listCheckpoints(
    jobKey: number,
    afterId: number | null,
    limit: number,
    index?: number,
  ): Promise<readonly CheckpointRow[]>;
  /** Undefined when it was dropped, or never was. */
  readCheckpointState(id: number): Promise<CheckpointState | undefined>;

  /** Per worker, by its id. `since` is rounded down to `workBucketMs`. */
  sumWork(filter: PeriodFilter): Promise<readonly WorkSum[]>;
  /** Buckets in which something ended, oldest first. */
  sumThroughput(filter: ThroughputFilter): Promise<readonly ThroughputSum[]>;
  /** Of attempts that were lost in the period. */
  sumRecoveries(filter: PeriodFilter): Promise<RecoverySum>;
  /** Of checkpoints taken in the period, dropped states included. */
  sumCheckpoints(filter: PeriodFilter): Promise<CheckpointSum>;
  /** Final jobs that ended at `since` or later, in the reverse order of their ends, in chunks. */
  listEndedJobs(since: number | null): AsyncIterable<readonly EndedJob[]>;
  /** Workers that were deregistered at `since` or later, by key, in chunks. */
  listDepartedWorkers(since: number | null): AsyncIterable<readonly WorkerRow[]>;
}

/** All three times are multiples of a second. */
export interface ThroughputFilter {
  readonly jobKey?: number;
  /** Where the first bucket begins. */
  readonly from: number;
  /** Excluded. */
  readonly to: number;
  readonly bucketMs: number;
}

export interface JobFilter {
  readonly status?: JobStatus;
  readonly clientId?: string;
}

export interface PeriodFilter {
  readonly jobKey?: number;
  readonly since?: number;
}
