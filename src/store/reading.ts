// The part of the port that only reads; anybody may be given it.

import type { CheckpointState } from '../core/commands.ts';
import type { JobStatus, TaskStatus } from '../core/records.ts';
import type { SchedulerConfig } from '../core/snapshot.ts';
import type {
  AttemptRow,
  AuditOutcome,
  AuditRow,
  BlobRow,
  CheckpointRow,
  CheckpointSum,
  DamagedTask,
  DueNotification,
  EndedJob,
  JobRow,
  NotificationRow,
  ProgramText,
  RecoveryRow,
  RecoverySum,
  StoredTask,
  TaskRow,
  TraceSummary,
  ThroughputSum,
  TokenRow,
  WorkerRow,
  WorkSum,
} from './rows.ts';

export interface Reading
  extends JobReading,
    TaskReading,
    BlobReading,
    NotificationReading,
    TokenReading,
    AuditReading,
    SchedulerReading,
    HistoryReading {}

/** Jobs and what belongs to them as a whole. */
export interface JobReading {
  findJob(id: string): Promise<JobRow | undefined>;
  /** The row without its task priorities, which can be megabytes: they are null here. */
  findJobHead(id: string): Promise<JobRow | undefined>;
  /**
   * Jobs before `beforeKey` in the order of the list, which is newest first; at most `limit`. Task priorities, which can
   * be megabytes, are not read: `spec.taskPriorities` is null here.
   */
  listJobs(filter: JobFilter, beforeKey: number | null, limit: number): Promise<readonly JobRow[]>;
  /**
   * Jobs whose name the handle is, or whose id begins or ends with it; newest first, without task
   * priorities, at most `limit`. An id alone is found by `findJobHead`.
   */
  listMeantJobs(handle: string, limit: number, owner?: string): Promise<readonly JobRow[]>;
  /** Whose the job is; undefined when it cannot be seen. */
  findJobOwner(id: string): Promise<string | undefined>;
  findProgram(jobKey: number): Promise<ProgramText | undefined>;
  /** The `sha256` of the program alone: its text may be megabytes. */
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
   * Final rows in index order with their results, at most `limit` rows and about `bytes` bytes. A
   * damaged result is told in its place.
   */
  listResults(
    jobKey: number,
    fromIndex: number,
    limit: number,
    bytes: number,
  ): Promise<readonly (TaskRow | DamagedTask)[]>;
  /**
   * Rows of one status in index order, without results (`retry` reads the failed ones). The search for a
   * rare status in a large job gives others turns of the event loop.
   */
  listTasksByStatus(
    jobKey: number,
    status: Exclude<TaskStatus, 'running'>,
    fromIndex: number,
    limit: number,
  ): Promise<readonly StoredTask[]>;
  /**
   * Completed rows in index order with the accounts of their accepted attempts, without results, at most `limit`. The
   * search for few in a large job gives others turns of the event loop.
   */
  listAccepted(jobKey: number, fromIndex: number, limit: number): Promise<readonly TaskRow[]>;
  /**
   * How many rows are stored with each status but completed in each of a job's cells, of which there must be few,
   * and not too wide: it is one read. Undefined: the job cannot be seen.
   */
  countCells(jobKey: number, cells: CellsAsked): Promise<CellCounts | undefined>;
  findTask(jobKey: number, index: number): Promise<TaskRow | undefined>;
  /** Attempts of one task that did not succeed, oldest first. A damaged error says so in its place. */
  listAttempts(jobKey: number, index: number): Promise<readonly AttemptRow[]>;
  /**
   * Attempts of a job that did not succeed, by index and number, those behind `after`; at most `limit`. A
   * damaged error says so in its place.
   */
  listJobAttempts(
    jobKey: number,
    after: AttemptPlace | null,
    limit: number,
  ): Promise<readonly AttemptRow[]>;
  /** Of the attempts of one task that have a trace, oldest first. */
  listTraces(jobKey: number, index: number): Promise<readonly TraceSummary[]>;
  /** What an attempt printed; null when nothing is kept. */
  readOutput(jobKey: number, index: number, attempt: number): Promise<string | null>;
  /** Failures of a worker of this generation, newest first; with an owner, those of its jobs. */
  listFailures(workerId: string, limit: number, owner?: string): Promise<readonly AttemptRow[]>;
}

export interface BlobReading {
  findBlob(sha256: string): Promise<BlobRow | undefined>;
  readBlob(sha256: string): Promise<Uint8Array | undefined>;
  /**
   * Bytes from `fromByte` on, as many as one read gives; none only at the end. Undefined when the blob is
   * gone, which may happen between two parts.
   */
  readBlobPart(sha256: string, fromByte: number): Promise<Uint8Array | undefined>;
  /**
   * Whether the blob is there, and the owner has put it, or a job of that owner that can be seen refers to it.
   * Somebody else's is as one that is not there.
   */
  isBlobOf(sha256: string, owner: string): Promise<boolean>;
  /**
   * Bytes of the blobs that the owner has put or that jobs of the owner have referred to, each once, for as long as
   * they are kept. Of those that were cleared away until they are swept.
   */
  blobBytesOf(owner: string): Promise<number>;
}

/**
 * Checkpoints, recovery events, and sums for evaluation. A sum reads no more than it must, and gives others
 * a turn of the event loop every 10 ms.
 */
export interface HistoryReading {
  /** Recovery events with an id below `beforeId`, newest first, at most `limit`. */
  listRecoveries(
    beforeId: number | null,
    limit: number,
    filter?: JobsAsked,
  ): Promise<readonly RecoveryRow[]>;
  /** Checkpoints of a job, or of one task of it, with an id above `afterId`; oldest first, at most `limit`. */
  listCheckpoints(
    jobKey: number,
    afterId: number | null,
    limit: number,
    index?: number,
  ): Promise<readonly CheckpointRow[]>;
  /** Undefined when the state was dropped, or never was. */
  readCheckpointState(id: number): Promise<CheckpointState | undefined>;

  /** Work summed per worker, in the order of ids. `since` and `until` are rounded down to `workBucketMs`. */
  sumWork(filter: PeriodFilter): Promise<readonly WorkSum[]>;
  /** Buckets in which something ended, oldest first. */
  sumThroughput(filter: ThroughputFilter): Promise<readonly ThroughputSum[]>;
  /** The sum over attempts that were lost in the period. */
  sumRecoveries(filter: PeriodFilter): Promise<RecoverySum>;
  /** The sum over checkpoints taken in the period, dropped states included. */
  sumCheckpoints(filter: PeriodFilter): Promise<CheckpointSum>;
  /**
   * Final jobs that ended at `since` or later, in the reverse order of their ends, in chunks; with an owner,
   * those of one.
   */
  listEndedJobs(since: number | null, owner?: string): AsyncIterable<readonly EndedJob[]>;
  /** Workers that were deregistered at `since` or later, by key, in chunks. */
  listDepartedWorkers(since: number | null): AsyncIterable<readonly WorkerRow[]>;
  /** Workers that are registered, by key, in chunks. */
  listRegisteredWorkers(): AsyncIterable<readonly WorkerRow[]>;
  /** Whether the worker is one of these. */
  isRegistered(workerId: string): Promise<boolean>;
}

/** What an attempt needs to be sent to its worker. */
export interface OutfitReading
  extends Pick<JobReading, 'readInputs' | 'findProgram' | 'findProgramHash'>,
    Pick<HistoryReading, 'readCheckpointState'>,
    Pick<BlobReading, 'readBlob'> {}

/** Who is told of ends of jobs. */
export interface NotificationReading {
  /** Those of a job, newest first. */
  listNotifications(jobKey: number, limit: number): Promise<readonly NotificationRow[]>;
  /** Those that may be tried now, longest due first. */
  listDueNotifications(wanted: DueWanted): Promise<readonly DueNotification[]>;
  /** When the first is due that is due after `at`; null when there is none. */
  nextNotificationAt(at: number): Promise<number | null>;
}

/** Who may ask. */
export interface TokenReading {
  /** All but those of workers, oldest first. */
  loadTokens(): Promise<readonly TokenRow[]>;
  /** Of any kind. */
  findToken(hash: string): Promise<TokenRow | undefined>;
  /** The token of a worker by its own id, or by that of the worker, which may have been cleared away. */
  findWorkerToken(id: string): Promise<TokenRow | undefined>;
  /** Those of workers that were not revoked, newest first. */
  listWorkerTokens(limit: number): Promise<readonly TokenRow[]>;
}

/** What was done, and by whom. */
export interface AuditReading {
  /**
   * Entries with an id below `beforeId`, newest first, at most `limit`. The search for rare ones gives others
   * turns of the event loop.
   */
  listAudit(
    filter: AuditFilter,
    beforeId: number | null,
    limit: number,
  ): Promise<readonly AuditRow[]>;
}

export interface AuditFilter {
  readonly tokenId?: string;
  readonly owner?: string;
  readonly action?: string;
  readonly outcome?: AuditOutcome;
  readonly address?: string;
  /** From this time on. */
  readonly since?: number;
  /** Before this time. */
  readonly until?: number;
}

/** How the scheduler was configured. */
export interface SchedulerReading {
  /** Configurations in the order in which they were set, newest first, at most `limit`. */
  listSchedulerChanges(limit: number): Promise<readonly SchedulerConfig[]>;
}

export interface DueWanted {
  readonly at: number;
  /** Nobody waits for so long: what is due after it is due now, for the clock was set back. */
  readonly beyond: number;
  /** None of these, and none to these hosts: they are busy. */
  readonly exceptIds: readonly number[];
  readonly exceptHosts: readonly string[];
  readonly limit: number;
}

/** Indices of a job from one to before another, in cells of so many; the last one may have fewer. */
export interface CellsAsked {
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

/** A number for each cell. */
export type CellCounts = Readonly<
  Record<'pending' | 'assigned' | 'failed' | 'cancelled', readonly number[]>
>;

/** Where a list of attempts goes on. */
export type AttemptPlace = Pick<AttemptRow, 'index' | 'attempt'>;

/** All three times are multiples of a second. */
export interface ThroughputFilter extends JobsAsked {
  /** Where the first bucket begins. */
  readonly from: number;
  /** End of the period, excluded. */
  readonly to: number;
  readonly bucketMs: number;
}

export interface JobFilter {
  readonly statuses?: readonly JobStatus[];
  readonly clientId?: string;
  readonly owner?: string;
}

/** Of which jobs: of all, of one, or of those of one owner. */
export interface JobsAsked {
  readonly jobKey?: number;
  readonly owner?: string;
}

export interface PeriodFilter extends JobsAsked {
  readonly since?: number;
  /** Excluded. */
  readonly until?: number;
}
