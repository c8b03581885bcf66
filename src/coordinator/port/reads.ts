// All reads, of committed state. Answers are wire-shaped (`protocol/resources.ts`); long
// ones come in chunks.

import type { Totals } from '../../core/totals.ts';
import type { TaskExplanation } from '../../protocol/explanations.ts';
import type { IndexRange } from '../../protocol/index-set.ts';
import type { Program } from '../../protocol/program.ts';
import type { WorkerSeriesName } from '../../protocol/worker-series.ts';
import type {
  AttemptHistory,
  EvaluationMetrics,
  LoadDistribution,
  ThroughputHistory,
  WorkerPerformance,
} from '../../protocol/evaluation.ts';
import type { ExportedAttempt } from '../../protocol/exported-attempts.ts';
import type {
  CheckpointRecord,
  JobDetail,
  JobErrors,
  JobStatus,
  JobSummary,
  RecoveryEvent,
  SystemStats,
  TaskDetail,
  TaskEntry,
  TaskListing,
  TaskMap,
  TaskStatus,
} from '../../protocol/resources.ts';
import type { WorkerDetail, WorkerFailure, WorkerResource } from '../../protocol/workers.ts';

export interface ReadPort {
  stats(): Promise<SystemStats>;
  /** The same and more, for who asks every few seconds. */
  census(): Promise<Census>;
  /** Newest first, in chunks. */
  jobs(filter: JobListFilter): AsyncIterable<readonly JobSummary[]>;
  /** The same with all that is told of one job but its tasks. */
  jobHeads(filter: JobListFilter): AsyncIterable<readonly Omit<JobDetail, 'tasks'>[]>;
  /** Those that a person may mean by this handle, newest first. A whole id means only that job. */
  meantJobs(handle: string, limit: number): Promise<readonly JobSummary[]>;
  findJob(jobId: string): Promise<Omit<JobDetail, 'tasks'> | undefined>;
  findJobDetail(jobId: string): Promise<JobDetailStream | undefined>;
  /** A page of its tasks, in index order. Undefined: no such job. */
  findTasks(jobId: string, asked: TaskPageAsked): Promise<TaskPage | undefined>;
  /** Its errors by kinds, the most frequent first, at most `limit` of them. Undefined: no such job. */
  findErrors(jobId: string, limit: number): Promise<JobErrors | undefined>;
  /** How its tasks stand by their indices. Undefined: no such job. */
  findTaskMap(jobId: string, asked: TaskMapAsked): Promise<TaskMap | undefined>;
  /**
   * JSON texts of `TaskResult` objects, in chunks: final tasks in index order; with `follow` the
   * stream goes on in order of completion until the job is final. Undefined: no such job. The caller may
   * change a chunk.
   */
  findResults(jobId: string, options: ResultsAsked): Promise<AsyncIterable<string[]> | undefined>;
  workers(): Promise<readonly WorkerResource[]>;
  /**
   * The same as pieces of one JSON array, each worker as it is when its piece is made. Others may have their turn
   * between two pieces.
   */
  workerTexts(asked: WorkersAsked): AsyncIterable<string>;
  /** Those that a person may mean by this handle, in order of registration. */
  meantWorkers(
    handle: string,
    limit: number,
    series?: SeriesAsked,
  ): Promise<readonly WorkerResource[]>;
  findWorker(workerId: string): Promise<WorkerDetail | undefined>;
  /** The newest first, at most `limit`. */
  findFailures(workerId: string, limit?: number): Promise<readonly WorkerFailure[] | undefined>;
}

/** How many there are at this moment, by their states. */
export interface Census {
  readonly jobs: Readonly<Record<JobStatus, number>>;
  /** Of all jobs that are kept. */
  readonly tasks: Readonly<
    Record<'pending' | 'assigned' | 'running' | 'completed' | 'failed_or_cancelled', number>
  >;
  readonly workers: Readonly<Record<WorkerResource['status'], number>>;
  /** Workers that rest and are not offline; they are among those above. */
  readonly resting: number;
  /** Of workers that are not offline. */
  readonly slots: number;
  /** Registered workers by the version of their program, `unknown` where they do not say. */
  readonly versions: ReadonlyMap<string, number>;
  /** Since the database was made. */
  readonly totals: Totals;
  /** Since the start of this coordinator. */
  readonly decisions: { readonly count: number; readonly seconds: number };
}

/** Single tasks, their checkpoints and recovery events. */
export interface TaskReadPort {
  /** With its input as `RawJson`. */
  findTask(jobId: string, index: number): Promise<TaskDetail | 'unknown_job' | 'unknown_task'>;
  /** With the decision that placed this attempt; without one, the newest. */
  explainTask(
    jobId: string,
    index: number,
    attempt?: number,
  ): Promise<TaskExplanation | 'unknown_job' | 'unknown_task'>;
  /** The source of the job's program, as it was submitted. Undefined: no such job. */
  findProgram(jobId: string): Promise<string | Program | undefined>;
  /** What an attempt printed; without a number, the newest of which something is kept. */
  findOutput(
    jobId: string,
    index: number,
    attempt?: number,
  ): Promise<{ readonly text: string } | 'unknown_job' | 'unknown_task' | 'no_output'>;
  /** Oldest first. Undefined: no such job. */
  findCheckpoints(jobId: string): Promise<AsyncGenerator<readonly CheckpointRecord[]> | undefined>;
  /** Newest first, in chunks. */
  recoveryEvents(): AsyncIterable<readonly RecoveryEvent[]>;
}

/** How well the work went. Every answer is undefined when there is no such job. */
export interface EvaluationPort {
  metrics(query: EvaluationQuery): Promise<EvaluationMetrics | undefined>;
  loadDistribution(query: EvaluationQuery): Promise<LoadDistribution | undefined>;
  workerPerformance(query: EvaluationQuery): Promise<readonly WorkerPerformance[] | undefined>;
  throughputHistory(
    query: EvaluationQuery & { readonly bucketSeconds?: number },
  ): Promise<ThroughputHistory | undefined>;
  /** Live attempts, newest first, then those that are over, newest end first. */
  attempts(asked: AttemptsAsked): Promise<AttemptHistory | undefined>;
  /** All that are over and stored, by job, newest first, and in a job by index and number; in chunks, also empty ones. */
  exportAttempts(
    asked: ExportAsked,
  ): Promise<AsyncGenerator<readonly ExportedAttempt[], void, void> | undefined>;
}

/** Those that were live at some moment from `since` to before `until`. */
export interface AttemptsAsked extends ExportAsked {
  readonly limit: number;
}

/** Those that were live at some moment from `since` to before `until`. */
export interface ExportAsked {
  readonly jobId?: string;
  readonly workerId?: string;
  /** In ms. */
  readonly since?: number;
  readonly until?: number;
  /** Of the jobs of this owner alone; of another's there is no such job. */
  readonly owner?: string;
}

export interface EvaluationQuery {
  readonly jobId?: string;
  /** In ms. Rounded down to 10 seconds, the resolution in which work is counted per worker. */
  readonly since?: number;
  /** Excluded; rounded likewise, so that periods that adjoin have nothing in common. */
  readonly until?: number;
  /** Over the jobs of this owner alone; of another's there is no such job. */
  readonly owner?: string;
}

export interface WorkersAsked {
  /** About so many characters make a piece. */
  readonly pieceChars: number;
  readonly series?: SeriesAsked | undefined;
}

/** With every worker: what it has measured in the last minutes. */
export interface SeriesAsked {
  readonly names: readonly WorkerSeriesName[];
  /** From the newest back. */
  readonly points: number;
}

export interface ResultsAsked {
  readonly follow: boolean;
  /** Results that the reader has: they are left out, until a retry makes them anew. */
  readonly have?: readonly IndexRange[];
  readonly signal?: AbortSignal;
  /** Is called to make each chunk; by default each waits for a turn of the event loop. */
  readonly pace?: Pace;
  /** Of a stream that follows: called right before its last chunk is given. It may end without one. */
  readonly onLast?: () => void;
}

export interface JobDetailStream {
  readonly head: Omit<JobDetail, 'tasks'>;
  /** In index order, in chunks. */
  readonly tasks: AsyncIterable<readonly TaskEntry[]>;
}

export interface TaskPageAsked {
  /** Null: of any. */
  readonly status: TaskStatus | null;
  /** Index of the last task of the page before; -1 for the first page. */
  readonly after: number;
  readonly limit: number;
  /** With the input of each, as `RawJson`. The page ends early where the inputs get large. */
  readonly inputs: boolean;
}

/** From one index to before another (null: to the end), in at most so many cells. */
export interface TaskMapAsked {
  readonly from: number;
  readonly to: number | null;
  readonly cells: number;
}

export interface TaskPage {
  readonly tasks: readonly TaskListing[];
  /** Where the next page goes on; null when this is the last. */
  readonly after: number | null;
}

export interface JobListFilter {
  readonly statuses?: readonly JobStatus[];
  /** A part of the name, the id or the client, in capitals or not. */
  readonly search?: string;
  readonly clientId?: string;
  readonly owner?: string;
  readonly limit?: number;
  /** Id of the last job of the page before. */
  readonly after?: string;
}

/**
 * Makes a piece of a long answer when it is its turn, after other work had a turn of the event loop.
 * Rejects when the reader is gone.
 */
export type Pace = <T>(make: () => Promise<T>) => Promise<T>;
