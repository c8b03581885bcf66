// The port between a worker's machine and whatever runs task code on this device. An executor owns
// `slots` places; each runs the attempts handed to it strictly in order, one at a time. It knows
// nothing of connections, leases or retries: it is told to run, to stop, and reports what happened.

/** Identifies an attempt on this worker: `<task_id>#<attempt>`. */
export type AttemptKey = string;

export interface ExecutorProgram {
  readonly jobId: string;
  readonly kind: 'javascript';
  /** An ES module whose default export is the task function. */
  readonly source: string;
  /** How often a checkpoint is due; null: by its cost and the mean time between losses. */
  readonly checkpointIntervalMs: number | null;
}

export interface ExecutorTask {
  readonly key: AttemptKey;
  readonly taskId: string;
  readonly index: number;
  readonly attempt: number;
  /** The task's input as JSON text; never parsed outside the sandbox. */
  readonly inputJson: string;
  /** State of the checkpoint to resume from as JSON text, null for a fresh start. */
  readonly stateJson: string | null;
  /** Run time allowed from start to report; null for none. */
  readonly timeoutMs: number | null;
}

export type StopReason =
  | 'cancelled'
  | 'revoked'
  | 'attempt_timeout'
  | 'progress_timeout'
  | 'drained';

export type ExecutorOutcome =
  | {
      readonly type: 'result';
      readonly key: AttemptKey;
      /** The returned value as JSON text, `null` for undefined. */
      readonly valueJson: string;
      readonly runMs: number;
      readonly cpuSeconds: number;
    }
  | {
      readonly type: 'failure';
      readonly key: AttemptKey;
      /**
       * The error's own name (`TypeError`), or what the sandbox itself found:
       * - `out_of_memory`: the child passed its memory limit and was killed.
       * - `attempt_timeout`: still running at its hard deadline.
       * - `sandbox_crashed`: the child ended by itself while the attempt ran (exit, signal, abort).
       * - `result_not_json`, `result_too_large`: what was returned cannot travel.
       * - `program_invalid`: the module does not parse, or has no default-exported function.
       */
      readonly errorType: string;
      readonly errorMessage: string;
      readonly retryable: boolean;
      readonly runMs: number;
      readonly cpuSeconds: number;
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
  | {
      readonly type: 'checkpoint';
      readonly slot: number;
      readonly key: AttemptKey;
      /** Counts from 1 within the attempt. */
      readonly sequence: number;
      readonly progress: number;
      readonly stateJson: string;
    }
  /** Outcomes in the order in which the attempts ended; many short ones come together. */
  | {
      readonly type: 'finished';
      readonly slot: number;
      readonly outcomes: readonly ExecutorOutcome[];
    }
  /** Handed over but never begun when the child ended: nothing is known against them. */
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
   * dropped and answered `stopped` too.
   */
  stop(slot: number, key: AttemptKey, reason: StopReason): void;
  /** Forgets the program of a job; its warm child may be recycled. */
  forget(jobId: string): void;
  /** Kills every child. No events after it resolves. */
  close(): Promise<void>;
}

/** Where an executor's events go; set before the first `run`. */
export type ExecutorListener = (event: ExecutorEvent) => void;
