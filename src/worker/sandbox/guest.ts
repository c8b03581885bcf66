// A kind of program that is not JavaScript, as the driver of a child sees it: a *guest*. The code that runs
// guests of one kind (`sandbox-wasm/`, `sandbox-python/`) is the same on every platform: bytes and JSON text go in,
// outcomes come out, and whatever it needs of the platform is handed to it.

/** An input, a result or a shared value: JSON text, or bytes as they are. */
export type GuestValue = { readonly json: string } | { readonly bytes: Uint8Array };

/** Runs the programs of one kind. A child has one, made before its first program. */
export interface GuestKind {
  /**
   * Makes a program ready. Rejects with a `GuestFault` that names what is wrong with it, which no other device
   * would judge otherwise.
   */
  load(source: GuestSource): Promise<GuestProgram>;
}

export interface GuestSource {
  readonly jobId: string;
  /** The program as it was submitted, an object of this kind. */
  readonly programJson: string;
  /** Bytes of a blob that the program names. All that it names are there; throws for any other. */
  readonly bytesOf: (sha256: string) => Uint8Array;
  /** The value that all tasks of the job share; null: it has none. */
  readonly shared: GuestValue | null;
  /** What a task may take, in MB. */
  readonly memoryMb: number;
}

export interface GuestProgram {
  /** Begins an attempt. One at a time: the one before has ended. Throws nothing: a fault is the first step. */
  begin(task: GuestTask): GuestRun;
  /** The job is forgotten: whatever the program holds is let go. */
  forget(): void;
}

export interface GuestTask {
  readonly taskId: string;
  readonly jobId: string;
  readonly index: number;
  /** Counts from 1. */
  readonly attempt: number;
  readonly input: GuestValue;
  /** State of the checkpoint that it resumes from as JSON text, as the guest had offered it; null for a fresh start. */
  readonly stateJson: string | null;
  /** Limits for a result and for a state, in bytes. */
  readonly resultLimitBytes: number;
  readonly stateLimitBytes: number;
  /** Whether the attempt shall stop. It may be asked at every call: it looks at the order at most once in 5 ms. */
  readonly isStopped: () => boolean;
  /** Whether a state that is offered now would be saved: a checkpoint is due, or a last one is wanted. */
  readonly isCheckpointDue: () => boolean;
  /** Offers a state as JSON text. It is saved if one is due (see above), else dropped. */
  readonly offer: (stateJson: string) => void;
  /** 0 to 1; anything else is put into that range, NaN is passed over. The message is cut where it is too long. */
  readonly report: (share: number, message: string | null) => void;
  /** What the task prints, with its line ends; bounded by whoever takes it. */
  readonly print: (text: string) => void;
}

export interface GuestRun {
  /**
   * Works until it has ended, or until about `sliceMs` are over if it can be interrupted there. Throws nothing.
   * Once a step has told an end, no other follows.
   */
  step(sliceMs: number): GuestStep;
}

export type GuestStep =
  | { readonly type: 'more' }
  | { readonly type: 'result'; readonly value: GuestValue }
  | ({ readonly type: 'failure' } & GuestFailure)
  /** It has seen the order to stop and left; a last state was offered before, if it had one. */
  | { readonly type: 'stopped' }
  /** It has left a state and ends by its own will: run it again from there, charged to nobody. */
  | { readonly type: 'again' }
  /** What runs it is broken, and the child with it; a sentence. */
  | { readonly type: 'broken'; readonly why: string };

export interface GuestFailure {
  /** The error's own name (`ValueError`), or one of the sandbox: `wasm_trap`, `exit_code`, `out_of_memory` … */
  readonly errorType: string;
  readonly message: string;
  /** Frames of the program, innermost first, a line each: `at total (program:3:14)`; empty when none is known. */
  readonly stack: string;
  readonly isRetryable: boolean;
}

/** A program that cannot be run anywhere, or not here; the message is a sentence. */
export class GuestFault extends Error {
  readonly errorType: string;

  constructor(
    errorType: 'program_invalid' | 'missing_package' | 'file_unavailable',
    message: string,
  ) {
    super(message);
    this.name = 'GuestFault';
    this.errorType = errorType;
  }
}
