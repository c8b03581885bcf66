// What the coordinator offers to its shells (HTTP server, simulator, tests). Everything that is asked
// to change goes through the writer loop and resolves after the commit; everything that is read shows
// committed state only. Answers are wire-shaped (`protocol/resources.ts`), payloads are JSON text.

import type { AlgorithmId, SchedulerConfig, Weights } from '../core/snapshot.ts';
import type { Requirements } from '../core/records.ts';
import type { ErrorCode } from '../protocol/errors.ts';
import type { WorkerMessage } from '../protocol/messages.ts';
import type {
  JobDetail,
  JobStatus,
  JobSummary,
  SystemStats,
  TaskEntry,
  WorkerFailure,
  WorkerResource,
} from '../protocol/resources.ts';

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly rejection: Rejection };

/** The core says no; nothing has changed. */
export interface Rejection {
  readonly code: ErrorCode;
  /** One sentence a person can act on. */
  readonly detail: string;
}

/** A validated submission with every default filled in. */
export interface Submission {
  readonly name: string | null;
  readonly clientId: string;
  readonly priority: number;
  readonly program: { readonly kind: 'javascript'; readonly source: string };
  readonly taskPriorities: Int16Array | null;
  readonly maxAttempts: number;
  readonly maxLostAttempts: number;
  readonly retryDelayMs: number;
  readonly attemptTimeoutMs: number | null;
  readonly progressTimeoutMs: number | null;
  readonly onTaskFailure: 'continue' | 'fail_job';
  readonly lateResults: 'accept' | 'reject';
  readonly requirements: Requirements | null;
  readonly checkpointIntervalMs: number | null;
}

export type SubmissionInputs =
  | { readonly type: 'list'; readonly inputs: readonly string[] }
  | { readonly type: 'range'; readonly start: number; readonly count: number };

/** A submission that arrives as a stream; nobody sees the job before `finish` resolves. */
export interface StreamedSubmission {
  /** JSON texts of the next inputs, in order. Resolves when they are stored: await it before more. */
  append(inputs: readonly string[]): Promise<void>;
  readonly count: number;
  finish(): Promise<Result<JobSummary>>;
  /** Drops everything; safe to call at any time before `finish`. */
  abort(): Promise<void>;
}

export interface JobDetailStream {
  readonly head: Omit<JobDetail, 'tasks'>;
  /** In index order, in chunks. */
  readonly tasks: AsyncIterable<readonly TaskEntry[]>;
}

export interface JobListFilter {
  readonly status?: JobStatus;
  readonly clientId?: string;
  readonly limit?: number;
  /** Id of the last job of the page before. */
  readonly after?: string;
}

/** Where the frames of one worker's connection go. */
export interface SessionSink {
  send(frame: string): void;
  /** Ends the connection after what was sent. */
  close(reason: string): void;
}

/** One connection of one worker. */
export interface WorkerSession {
  /** Validated messages of one frame, in order. The first of a session must be `hello`. */
  receive(messages: readonly WorkerMessage[]): void;
  /** The connection is gone. */
  closed(): void;
}

export interface ConfigChange {
  readonly algorithm?: AlgorithmId;
  readonly weights?: Weights;
  readonly weighting?: 'manual' | 'entropy';
}

export interface Coordinator {
  readonly health: 'starting' | 'ready' | 'stopping' | 'failed';

  submitJob(submission: Submission, inputs: SubmissionInputs): Promise<Result<JobSummary>>;
  streamJob(submission: Submission): StreamedSubmission;
  cancelJob(jobId: string): Promise<Result<JobSummary>>;
  retryJob(jobId: string): Promise<Result<JobSummary>>;
  drainWorker(workerId: string): Promise<Result<WorkerResource>>;
  resumeWorker(workerId: string): Promise<Result<WorkerResource>>;
  /** Resolves with the number of attempts that were requeued. */
  deregisterWorker(workerId: string): Promise<Result<{ readonly requeuedTasks: number }>>;
  configure(change: ConfigChange): Promise<Result<SchedulerConfig>>;
  clear(): Promise<
    Result<{
      readonly jobs: number;
      readonly tasks: number;
      readonly workers: number;
      readonly checkpoints: number;
    }>
  >;

  openSession(sink: SessionSink): WorkerSession;

  stats(): Promise<SystemStats>;
  /** Newest first, in chunks. */
  jobs(filter: JobListFilter): AsyncIterable<readonly JobSummary[]>;
  findJob(jobId: string): Promise<Omit<JobDetail, 'tasks'> | undefined>;
  findJobDetail(jobId: string): Promise<JobDetailStream | undefined>;
  /**
   * JSON texts of `TaskResult` objects, in chunks: final tasks in index order; with `follow` the
   * stream goes on in order of completion until the job is final. Undefined: no such job.
   */
  findResults(
    jobId: string,
    options: { readonly follow: boolean; readonly signal?: AbortSignal },
  ): Promise<AsyncIterable<readonly string[]> | undefined>;
  workers(): Promise<readonly WorkerResource[]>;
  findWorker(workerId: string): Promise<WorkerResource | undefined>;
  findFailures(workerId: string): Promise<readonly WorkerFailure[] | undefined>;
  schedulerConfig(): Promise<SchedulerConfig>;

  /** Finishes the batch in hand, tells the workers, closes the store. */
  stop(): Promise<void>;
  /** Resolves with the fault when the coordinator cannot go on (a commit failed). */
  readonly failed: Promise<Error>;
}
