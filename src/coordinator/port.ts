// What the coordinator offers to its shells (HTTP server, simulator, tests). Everything that is asked
// to change goes through the writer loop and resolves after the commit; everything that is read shows
// committed state only. Answers are wire-shaped (`protocol/resources.ts`), payloads are JSON text.

import type { AlgorithmId, SchedulerConfig, Weights } from '../core/snapshot.ts';
import type { Requirements, Speculation } from '../core/records.ts';
import type { ErrorCode } from '../protocol/errors.ts';
import type { IndexRange } from '../protocol/index-set.ts';
import type {
  AcceptedReport,
  Assignment,
  DeviceDescription,
  HeartbeatAnswer,
  HeartbeatMessage,
  JobProgram,
  RejectedReport,
  Telemetry,
  WorkerMessage,
} from '../protocol/messages.ts';
import type {
  CriterionDescription,
  SchedulerPreview,
  TaskExplanation,
} from '../protocol/explanations.ts';
import type {
  CheckpointRecord,
  EvaluationMetrics,
  JobDetail,
  JobStatus,
  JobSummary,
  LoadDistribution,
  RecoveryEvent,
  SchedulingInfo,
  SystemStats,
  TaskDetail,
  TaskEntry,
  ThroughputHistory,
  WorkerFailure,
  WorkerPerformance,
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
  readonly speculation: Speculation | null;
}

export type SubmissionInputs =
  | { readonly type: 'list'; readonly inputs: readonly string[] }
  | { readonly type: 'range'; readonly start: number; readonly count: number };

/** A submission that arrives as a stream; nobody sees the job before `finish` resolves. */
export interface StreamedSubmission {
  /**
   * JSON texts of the next inputs, in order. Resolves when they are stored: await it before more.
   * Rejects a reference to a blob that is not there; `abort` it then.
   */
  append(inputs: readonly string[]): Promise<Result<null>>;
  readonly count: number;
  finish(idempotency?: Idempotency): Promise<Result<JobSummary>>;
  /** Drops everything; safe to call at any time before `finish`. */
  abort(): Promise<void>;
}

/** A blob that is being sent. It ends by `finish` or by `abandon`. */
export interface BlobUpload {
  /** The bytes must not change afterwards. Rejects what passes the limit; `abandon` it then. */
  append(bytes: Uint8Array): Promise<Result<null>>;
  /** Rejects bytes that have another SHA-256; otherwise resolves when they are durable. */
  finish(): Promise<Result<{ readonly sizeBytes: number; readonly isNew: boolean }>>;
  abandon(): void;
}

export interface StoredBlob {
  readonly sizeBytes: number;
  /** Throws when it is removed while it is read. */
  parts(): AsyncIterable<Uint8Array>;
}

/** A client's promise that the same key means the same submission. */
export interface Idempotency {
  readonly key: string;
  /** SHA-256 of everything that was submitted, hex. */
  readonly bodyHash: string;
}

/** A worker over plain HTTP, as it describes itself. */
export interface Registration {
  readonly device: DeviceDescription;
  readonly telemetry?: Telemetry;
}

export interface Registered {
  readonly worker_id: string;
  readonly worker_token: string;
  readonly heartbeat_interval_seconds: number;
  readonly lease_seconds: number;
}

export interface ClaimedAssignment extends Assignment, JobProgram {
  readonly lease_seconds: number;
}

export interface ReportAnswer {
  readonly accepted: readonly AcceptedReport[];
  readonly rejected: readonly RejectedReport[];
}

/**
 * Makes a piece of a long answer when it is its turn, after everybody else had one of the event loop.
 * Rejects when nobody waits for it any more.
 */
export type Pace = <T>(make: () => Promise<T>) => Promise<T>;

export interface EventFilter {
  readonly jobId?: string;
  readonly types?: readonly string[];
}

/** One event of the stream; `data` is JSON text. */
export interface StreamedEvent {
  /** Opaque; where to go on from. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

export interface ResultsAsked {
  readonly follow: boolean;
  /** Left out, until a retry makes them anew. */
  readonly have?: readonly IndexRange[];
  readonly signal?: AbortSignal;
  /** Around the making of each chunk; by default each waits for a turn of the event loop. */
  readonly pace?: Pace;
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
  /** While the worker has much to read, this ends when it has read most of it, or is gone. Absent: it never has. */
  caughtUp?(): Promise<void> | undefined;
  /** Ends the connection after what was sent. */
  close(reason: string): void;
}

/** One connection of one worker. */
export interface WorkerSession {
  /** Set by a hello that was accepted: known as soon as anything is sent for it. */
  readonly workerId: string | null;
  /** It has completed or failed a task before its newest frame that was decided. */
  readonly hasWorked: boolean;
  /**
   * Validated messages of one frame, which had so many bytes, in order. The first of a session must be
   * `hello`. They are always taken; whoever reads frames should stop while the coordinator is crowded.
   */
  receive(messages: readonly WorkerMessage[], bytes?: number): void;
  /** The connection is gone. */
  closed(): void;
}

export interface ConfigChange {
  readonly algorithm?: AlgorithmId;
  readonly weights?: Weights;
  readonly weighting?: 'manual' | 'entropy';
}

/** A configuration that is only thought of, and what it is to place. */
export interface PreviewRequest extends ConfigChange {
  readonly requirements: Requirements | null;
  /** Tasks to place on a copy of the cluster. */
  readonly tasks?: number;
}

export interface Coordinator {
  readonly health: 'starting' | 'ready' | 'stopping' | 'failed';

  /**
   * Too much waits to be decided. New jobs are refused, and from the sockets of workers nothing more
   * should be read until it has eased: what they say is not lost there, and nobody is taken for silent.
   */
  readonly isCrowded: boolean;
  /** Resolves when it is not crowded, or not any more. */
  eased(): Promise<void>;

  /**
   * With a key that was used before: the earlier job, or a rejection when the body differs. Rejected,
   * with nothing left behind, while the coordinator is crowded.
   */
  submitJob(
    submission: Submission,
    inputs: SubmissionInputs,
    idempotency?: Idempotency,
  ): Promise<Result<JobSummary>>;
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

  /** Removes a final job and all that belongs to it. */
  deleteJob(jobId: string): Promise<Result<{ readonly job_id: string }>>;

  openSession(sink: SessionSink): WorkerSession;

  /** Bytes under their SHA-256, as 64 hexadecimal digits in lower case. */
  findBlob(sha256: string): Promise<StoredBlob | undefined>;
  receiveBlob(sha256: string): Promise<BlobUpload>;

  /**
   * Whether the token is the worker's own, and it has completed or failed a task. Asked before a call is
   * read; the call itself is checked when it is decided.
   */
  hasWorked(workerId: string, token: string): boolean;

  // Workers over plain HTTP. Every call renews the lease of the worker.
  registerWorker(registration: Registration): Promise<Result<Registered>>;
  /** Rejects an unknown or removed worker, or a token that is not its own. */
  heartbeat(
    workerId: string,
    token: string,
    message: Pick<HeartbeatMessage, 'telemetry' | 'running'>,
  ): Promise<Result<Omit<HeartbeatAnswer, 'heartbeat_id'>>>;
  /** Answers as soon as there is something, at the latest after `waitMs`. */
  claim(
    workerId: string,
    token: string,
    how: { readonly max: number; readonly waitMs: number; readonly signal?: AbortSignal },
  ): Promise<Result<readonly ClaimedAssignment[]>>;
  /** Resolves after the commit; one bad entry does not spoil the others. */
  report(
    workerId: string,
    token: string,
    messages: readonly WorkerMessage[],
  ): Promise<Result<ReportAnswer>>;

  /** How well the work went; every answer is undefined for an unknown job. */
  readonly evaluation: EvaluationReads;
  stats(): Promise<SystemStats>;
  /** Newest first, in chunks. */
  jobs(filter: JobListFilter): AsyncIterable<readonly JobSummary[]>;
  findJob(jobId: string): Promise<Omit<JobDetail, 'tasks'> | undefined>;
  findJobDetail(jobId: string): Promise<JobDetailStream | undefined>;
  /**
   * JSON texts of `TaskResult` objects, in chunks: final tasks in index order; with `follow` the
   * stream goes on in order of completion until the job is final. Undefined: no such job. A chunk
   * belongs to who has asked.
   */
  findResults(jobId: string, options: ResultsAsked): Promise<AsyncIterable<string[]> | undefined>;
  workers(): Promise<readonly WorkerResource[]>;
  /** The same, for long lists: others have their turn between two chunks. */
  workerChunks(): AsyncIterable<readonly WorkerResource[]>;
  findWorker(workerId: string): Promise<WorkerResource | undefined>;
  findFailures(workerId: string): Promise<readonly WorkerFailure[] | undefined>;
  schedulerConfig(): Promise<SchedulerConfig & { readonly effectiveWeights: Weights }>;
  schedulingInfo(): Promise<SchedulingInfo>;
  readonly criteria: readonly CriterionDescription[];
  /** How the present cluster would rank; changes nothing. */
  preview(asked: PreviewRequest): Promise<Result<SchedulerPreview>>;
  findTask(jobId: string, index: number): Promise<TaskDetail | 'unknown_job' | 'unknown_task'>;
  /** With the decision that placed this attempt; without one, the newest. */
  explainTask(
    jobId: string,
    index: number,
    attempt?: number,
  ): Promise<TaskExplanation | 'unknown_job' | 'unknown_task'>;
  /** Oldest first. Undefined: no such job. */
  findCheckpoints(jobId: string): Promise<AsyncGenerator<readonly CheckpointRecord[]> | undefined>;
  /** Newest first, in chunks. */
  recoveryEvents(): AsyncIterable<readonly RecoveryEvent[]>;
  /**
   * Events from now on, or from behind `lastEventId`. When that is too old (or of another life of
   * the coordinator) the first event has the type `reset`: the reader fetches everything again.
   */
  events(
    filter: EventFilter,
    options: {
      readonly lastEventId?: string;
      readonly signal: AbortSignal;
      readonly pace?: Pace;
    },
  ): AsyncIterable<readonly StreamedEvent[]>;

  /** Finishes the batch in hand, tells the workers, closes the store. */
  stop(): Promise<void>;
  /** Resolves with the fault when the coordinator cannot go on (a commit failed). */
  readonly failed: Promise<Error>;
}

export interface EvaluationQuery {
  readonly jobId?: string;
  /** In ms. Rounded down to 10 seconds, the resolution in which work is counted per worker. */
  readonly since?: number;
}

/** Every answer is undefined when there is no such job. */
export interface EvaluationReads {
  metrics(query: EvaluationQuery): Promise<EvaluationMetrics | undefined>;
  loadDistribution(query: EvaluationQuery): Promise<LoadDistribution | undefined>;
  workerPerformance(query: EvaluationQuery): Promise<readonly WorkerPerformance[] | undefined>;
  throughputHistory(
    query: EvaluationQuery & { readonly bucketSeconds?: number },
  ): Promise<ThroughputHistory | undefined>;
}
