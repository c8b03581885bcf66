// What clients do with jobs: submit them, whole or as a stream, cancel, retry and delete them.
// Every answer comes after the commit. Payloads are JSON text.

import type { JobOptions } from '../../core/records.ts';
import type { Program } from '../../protocol/program.ts';
import type { JobSummary } from '../../protocol/resources.ts';
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
  stream(submission: Submission): StreamedSubmission;
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

/** A client's promise that the same key means the same submission. */
export interface Idempotency {
  readonly key: string;
  /** SHA-256 of everything that was submitted, hex. */
  readonly bodyHash: string;
}
