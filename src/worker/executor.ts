// The port between a worker's machine and whatever runs task code on this device. An executor owns
// `slots` places; each runs the attempts handed to it strictly in order, one at a time. It knows
// nothing of connections, leases or retries: it is told to run, to stop, and reports what happened.

import type { ProgramKind } from '../protocol/program.ts';

/** Identifies an attempt on this worker: `<task_id>#<attempt>`. */
export type AttemptKey = string;

/** Bytes that a program names by their hash: a file on a PC, memory in a browser. Whoever gets them only reads them. */
export type BlobContent =
  | { readonly path: string; readonly sizeBytes: number }
  | { readonly bytes: Uint8Array };

export interface ExecutorProgram {
  readonly jobId: string;
  readonly kind: ProgramKind;
  /**
   * Hash of the program; jobs with the same program share it. Absent: the coordinator sent none.
   */
  readonly sha256?: string;
  /** JavaScript: an ES module whose default export is the task function. Other kinds: the program as submitted, JSON text. */
  readonly source: string;
  /** The blobs that the program and its shared value name, by SHA-256 in hexadecimal digits: fetched and checked. Absent: none. */
  readonly blobs?: ReadonlyMap<string, BlobContent>;
  /** The value that all its tasks share, JSON text; `{"$blob": …}` and `{"$bytes": …}` name one of `blobs`. Absent: none. */
  readonly sharedJson?: string;
  /**
   * Interval between checkpoints; null: it follows from their cost and the mean time between
   * losses.
   */
  readonly checkpointIntervalMs: number | null;
  /** When what its tasks print is reported; absent: only with a failure. */
  readonly keepOutput?: 'on_failure' | 'always' | 'never';
  /** What its tasks print is told while they run. */
  readonly liveOutput?: boolean;
  /** What a task of it may take; absent: what the executor gives. */
  readonly memoryMb?: number;
}

export interface ExecutorTask {
  readonly key: AttemptKey;
  /** Whose job it is. No process ever runs tasks of two owners. */
  readonly owner: string;
  readonly taskId: string;
  readonly index: number;
  readonly attempt: number;
  /** The task's input as JSON text; never parsed outside the sandbox. */
  readonly inputJson: string;
  /** The input as bytes; then `inputJson` is `null`. */
  readonly inputBytes?: Uint8Array;
  /** State of the checkpoint to resume from as JSON text, null for a fresh start. */
  readonly stateJson: string | null;
  /** How far that checkpoint was, 0 to 1; 0 for a fresh start. */
  readonly progress: number;
  /** Run time allowed from start to report; null for none. */
  readonly timeoutMs: number | null;
}

/** The state of a checkpoint as it is sent. The payload store selects the form when it packs it. */
export type PackedState =
  /** JSON text, as the task gave it. */
  | { readonly encoding: 'json'; readonly text: string }
  /** Base64 of the gzipped JSON text. */
  | { readonly encoding: 'gzip'; readonly base64: string; readonly whole: WholeState }
  /** A blob holds the gzipped JSON text; it has been uploaded. */
  | { readonly encoding: 'blob'; readonly blobSha256: string; readonly whole: WholeState };

/** The JSON text that a packed state stands for. */
export interface WholeState {
  /** In hexadecimal digits. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

export type StopReason =
  | 'cancelled'
  | 'revoked'
  | 'attempt_timeout'
  | 'progress_timeout'
  | 'leaving';

export type ExecutorOutcome =
  | {
      readonly type: 'result';
      readonly key: AttemptKey;
      /** The returned value as JSON text, `null` for undefined. */
      readonly valueJson: string;
      /** The result as bytes; then `valueJson` is `null`: whoever sends it puts them into a blob. */
      readonly valueBytes?: Uint8Array;
      readonly runMs: number;
      readonly cpuSeconds: number;
      /** What it printed, its beginning and its end; absent when that is nothing or not kept. */
      readonly output?: string;
    }
  | {
      readonly type: 'failure';
      readonly key: AttemptKey;
      /**
       * The error's own name (`TypeError`), or what the sandbox itself found:
       * - `out_of_memory`: the child passed its memory limit and was killed.
       * - `attempt_timeout`: still running at its hard deadline.
       * - `sandbox_crashed`: the child ended by itself while the attempt ran (exit, signal, abort).
       * - `result_not_json`, `result_too_large`: the returned value cannot be sent.
       * - `program_invalid`: the module does not parse, or has no default-exported function.
       * - `input_unavailable`: the blob that holds the input could not be fetched.
       * - `file_unavailable`: a blob that the program or its shared value names could not be fetched.
       */
      readonly errorType: string;
      readonly errorMessage: string;
      /**
       * The frames of the program, innermost first, a line for each: `at total (program:3:14)`. Absent
       * when none is known.
       */
      readonly errorStack?: string;
      readonly retryable: boolean;
      readonly runMs: number;
      readonly cpuSeconds: number;
      readonly output?: string;
    }
  | { readonly type: 'stopped'; readonly key: AttemptKey; readonly reason: StopReason };

export type ExecutorEvent =
  /** Reported only for attempts that are still running after a few milliseconds. */
  | { readonly type: 'started'; readonly slot: number; readonly key: AttemptKey }
  | {
      readonly type: 'progress';
      readonly slot: number;
      readonly key: AttemptKey;
      /** 0 to 1. */
      readonly progress: number;
      readonly message: string | null;
    }
  /** What the attempt has printed since the last one; only when its program asks for it. */
  | {
      readonly type: 'output';
      readonly slot: number;
      readonly key: AttemptKey;
      readonly text: string;
    }
  | {
      readonly type: 'checkpoint';
      readonly slot: number;
      readonly key: AttemptKey;
      /** Counts from 1 within the attempt. */
      readonly sequence: number;
      readonly progress: number;
      readonly state: PackedState;
      /** How long the attempt had run. */
      readonly runMs: number;
    }
  /** Outcomes in the order in which the attempts ended; many short ones come together. */
  | {
      readonly type: 'finished';
      readonly slot: number;
      readonly outcomes: readonly ExecutorOutcome[];
    }
  /** Attempts that had not begun when the child ended. They are not to blame for its end. */
  | { readonly type: 'returned'; readonly slot: number; readonly keys: readonly AttemptKey[] };

export interface Executor {
  readonly slots: number;
  /** How strictly task code is confined, for example `ses` or `ses+bubblewrap`. */
  readonly isolation: string;
  /** Appends attempts of one job to a slot. They run in order after what the slot already holds. */
  run(slot: number, program: ExecutorProgram, tasks: readonly ExecutorTask[]): void;
  /**
   * Ends an attempt: at its next yield, or by killing the child when it does not yield in time. It is
   * answered by an outcome (`stopped`, or the result that came first). One that has not begun is
   * dropped and answered `stopped` too. With `leaving` it may leave a last checkpoint, which comes
   * before the outcome; with any other reason it is not asked for one.
   */
  stop(slot: number, key: AttemptKey, reason: StopReason): void;
  /**
   * Takes the next state that the attempt offers, due or not. Ignored when the attempt does not
   * run.
   */
  checkpoint(slot: number, key: AttemptKey): void;
  /** Forgets the program of a job; its warm child may be recycled. */
  forget(jobId: string): void;
  /** Kills every child. No event follows once the promise has resolved. */
  close(): Promise<void>;
}

/** Where an executor's events go; set before the first `run`. */
export type ExecutorListener = (event: ExecutorEvent) => void;
