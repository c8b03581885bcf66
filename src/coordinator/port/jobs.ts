// What clients do with jobs: submit them, whole or as a stream, cancel, retry and delete them.
// Every answer comes after the commit. Payloads are JSON text.

import type { JobOptions } from '../../core/records.ts';
import type { Program } from '../../protocol/program.ts';
import type { InputReferences } from '../../protocol/blob-reference.ts';
import type { JobSummary } from '../../protocol/resources.ts';
import type { ResultsAsked } from './reads.ts';
import type { Result } from './rejection.ts';

export interface SubmissionPort {
  /**
   * With a key that was used before: the earlier job, or a rejection when the body differs. Rejected,
   * with nothing left behind, while the coordinator is crowded.
   */
  submit(
    submission: Submission,
    inputs: SubmissionInputs,
    idempotency?: Idempotency,
  ): Promise<Result<JobSummary>>;
  /**
   * The same, and what comes of the job: whoever asks follows it from its commit on, before anything of it
   * can end. A job that was there before is followed from what is stored.
   */
  submitFollowed(
    submission: Submission,
    inputs: SubmissionInputs,
    asked: FollowAsked,
    idempotency?: Idempotency,
  ): Promise<Result<FollowedJob>>;
  stream(submission: Submission): StreamedSubmission;
  /** The same of inputs that come to another member of the cluster, `by` which they are staged. */
  streamStaged(submission: Submission, by: string): StagedSubmission;
}

/** The following ends with `signal`, which must end at some time. */
export interface FollowAsked extends Pick<ResultsAsked, 'onLast' | 'pace'> {
  readonly signal: AbortSignal;
}

export interface FollowedJob {
  /** As it was after the commit. */
  readonly job: JobSummary;
  /**
   * JSON texts in chunks: of `TaskResult` objects as `findResults` gives them with `follow`, and when the job is
   * final, of `{job}` with its summary at the end. Without that the coordinator has stopped, the job was
   * removed, or `signal` has ended it. The caller may change a chunk.
   */
  readonly lines: AsyncIterable<string[]>;
}

export interface JobPort {
  cancel(jobId: string): Promise<Result<JobSummary>>;
  retry(jobId: string): Promise<Result<JobSummary>>;
  /** Nothing new of the job starts; what runs goes on. */
  hold(jobId: string): Promise<Result<JobSummary>>;
  release(jobId: string): Promise<Result<JobSummary>>;
  /** Removes a final job and all that belongs to it. */
  delete(jobId: string): Promise<Result<{ readonly job_id: string }>>;
}

/** A validated submission with every default filled in. */
export interface Submission extends JobOptions {
  readonly program: Program;
  /** The value that all tasks share, JSON text; it may refer to a blob. Absent: none. */
  readonly shared?: string;
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
  /** As `submitFollowed`. */
  finishFollowed(asked: FollowAsked, idempotency?: Idempotency): Promise<Result<FollowedJob>>;
  /** Drops everything; safe to call at any time before `finish`. */
  abort(): Promise<void>;
}

/** A submission whose inputs another member of the cluster stages. `abort` it when it is not finished. */
export interface StagedSubmission {
  /** Under which they are staged. */
  key(): Promise<number>;
  /**
   * So many have come by now, of so many characters in all. False when there is no room for them: nothing more is to be
   * staged then, and `finish` says why.
   */
  arrived(count: number, characters: number): Promise<Result<boolean>>;
  /** Inputs that have come refer to these blobs. Rejects one that is not there. */
  refer(references: InputReferences): Promise<Result<null>>;
  /** All that have come are staged. */
  finish(idempotency?: Idempotency): Promise<Result<JobSummary>>;
  /** As `submitFollowed`. */
  finishFollowed(asked: FollowAsked, idempotency?: Idempotency): Promise<Result<FollowedJob>>;
  abort(): Promise<void>;
}

/** Where a member that does not decide puts inputs, for the one that does. */
export interface InputStage {
  /** Whose they are, until whoever decides takes them. */
  readonly member: string;
  /** As `InputStaging` of the store has it: false when they may not be there. */
  stageInputs(
    jobKey: number,
    fromIndex: number,
    inputs: readonly string[],
    blobs: readonly string[],
  ): Promise<boolean>;
  dropStaged(jobKey: number): Promise<void>;
}

/** A client's promise that the same key means the same submission. */
export interface Idempotency {
  readonly key: string;
  /** SHA-256 of everything that was submitted, hex. */
  readonly bodyHash: string;
}
