// The messages between agent and sandbox child, over Node's IPC (JSON). Attempts are sent in flat arrays,
// many in one message, together with their programs: a message costs about as much as twenty short tasks. Inputs, states and results
// are JSON text inside; only the child parses them.

import { isPayloadText } from './payload-text.ts';

/**
 * `run` carries this many fields per task: number, task id, index, attempt, input (JSON text, or bytes), state,
 * progress.
 */
export const runWidth = 7;
/** `done` carries this many fields per outcome: number, kind, text, run time in ms, CPU seconds. */
export const doneWidth = 5;

/** The text is the result as JSON. */
export const doneResult = 0;
/**
 * The text is the error's type, a blank, the number of characters of its stack, a line break, the stack,
 * and its message: see `failureText`.
 */
export const doneFailure = 1;
/** The same for an error that another attempt would meet again. */
export const doneFinalFailure = 2;
/** The attempt was stopped; the text is empty. */
export const doneStopped = 3;
/** In place of the text stand the bytes that are the result. */
export const doneBytes = 4;
/** A guest has left a checkpoint and wants to be run again from there; the text is empty. */
export const doneAgain = 5;

/** What `run` carries of a task. */
export type TaskField = string | number | null | Uint8Array;
/** What `done` carries of an outcome. */
export type OutcomeField = string | number | Uint8Array;

/** When what an attempt prints is of use: only if it fails, always, or never. */
export type KeepOutput = 'on_failure' | 'always' | 'never';

export function failureText(type: string, message: string, stack = ''): string {
  return `${type} ${stack.length}\n${stack}${message}`;
}

/** A blob that a job names, by its hash: a file in the folder of the child, or its bytes where it has none. */
export type LentBlob = readonly [sha256: string, content: string | Uint8Array];

/** What only some programs have. */
export interface ProgramExtras {
  readonly kind: string;
  /** What a task of it may take. */
  readonly memoryMb: number;
  /** JSON text; null: none. */
  readonly sharedJson: string | null;
  readonly blobs: readonly LentBlob[];
}

/** An order to a child. Those of one moment come in one message, as a list. */
export type ToChild =
  /**
   * Job id; hash of the program or null; source, or null when a job that the child knows has the same
   * hash; the job's own interval of checkpoints in ms or null; mean time between losses in ms; when what
   * a task prints is of use; what only some have. Sent before the first `run` of the job, and again if the child was told to
   * forget it.
   */
  | readonly [
      'program',
      string,
      string | null,
      string | null,
      number | null,
      number,
      KeepOutput | undefined,
      ProgramExtras?,
    ]
  /** Job id, fields. */
  | readonly ['run', string, readonly TaskField[]]
  /** Number of the attempt; whether a last checkpoint is wanted. */
  | readonly ['stop', number, boolean]
  /** Number of an attempt whose next offered state must be saved. */
  | readonly ['checkpoint', number]
  /** Number of an attempt; how long packing its checkpoint took and mean time between losses, in ms. */
  | readonly ['packed', number, number, number]
  | readonly ['forget', string]
  /** Answered by `pong` when the event loop turns. */
  | readonly ['ping'];

export type FromChild =
  | readonly ['ready']
  | readonly ['pong']
  | readonly ['done', readonly OutcomeField[]]
  /** Number, 0 to 1, message. */
  | readonly ['progress', number, number, string | null]
  /** Number, sequence, progress, run time in ms, state as JSON text. */
  | readonly ['checkpoint', number, number, number, number, string]
  /** Number, why the state that it offered could not be saved. */
  | readonly ['unsaved', number, string]
  /** Number, what it has printed since the last of these messages, or its beginning and end. */
  | readonly ['output', number, string];

/** Where the order to stop stands in the position file. */
export const stopOrderAt = 4;

/** What a child is told before its first task, on every platform. */
export interface SandboxLimits {
  readonly resultLimitBytes: number;
  readonly outputLimitBytes: number;
  /** Limit for the state of a checkpoint as JSON text. */
  readonly stateLimitBytes: number;
  /** Messages with what is printed that may be sent a second, beside those at the end of attempts. */
  readonly outputMessagesPerSecond: number;
}

/** Given to a child process as its only argument, as JSON. */
export interface ChildSettings extends SandboxLimits {
  /** Path of the library that hardens the realm. */
  readonly sesPath: string;
  /**
   * Descriptor of the position file. Its first 4 bytes are the child's: the number of the running attempt. The 4
   * behind them are the agent's: the order to stop (stop-order.ts).
   */
  readonly positionFd: number;
  /** Folder of the child: blobs that its jobs name. Null or absent: it has none. */
  readonly folder?: string | null;
  /** The one kind of guests that it serves, or `javascript` and what shares a child with that; so when absent. */
  readonly serves?: string;
  /** Files and folders of its code that need not be read any more once it serves. */
  readonly codePaths?: readonly string[];
  /** Descriptor of the pipe for long texts (see long-texts.ts); null or absent: they stand in their messages. */
  readonly payloadFd?: number | null;
}

/**
 * Checks what the child sent, as far as the agent relies on it; null for anything else. Results and states are put
 * into frames as they are, so they must be JSON.
 */
export function readFromChild(message: unknown): FromChild | null {
  if (!Array.isArray(message)) return null;
  const fields: readonly unknown[] = message;
  const [kind] = fields;
  // Its own keys only: a child that was taken over may name those that every object has.
  const isKnown = typeof kind === 'string' && Object.hasOwn(shapes, kind);
  if (!isKnown || !isPlainList(fields, widest)) return null;
  return shapes[kind]?.(fields) === true ? (message as unknown as FromChild) : null;
}

const widest = 6;
/** More than a child is ever given at a time. */
const mostOutcomes = 1024;

/** Without holes, and with nothing beside its items: whatever else came along would be counted nowhere. */
function isPlainList(list: readonly unknown[], most: number): boolean {
  return list.length <= most && Object.keys(list).length === list.length;
}

const shapes: Record<string, (fields: readonly unknown[]) => boolean> = {
  ready: (fields) => fields.length === 1,
  pong: (fields) => fields.length === 1,
  done: ([, items, ...more]) =>
    more.length === 0 &&
    Array.isArray(items) &&
    items.length % doneWidth === 0 &&
    isPlainList(items, mostOutcomes * doneWidth) &&
    areOutcomes(items),
  progress: ([, number, progress, message, ...more]) =>
    more.length === 0 &&
    isNumber(number) &&
    isShare(progress) &&
    (message === null || isString(message)),
  checkpoint: ([, number, sequence, progress, runMs, state]) =>
    isNumber(number) &&
    isNumber(sequence) &&
    isShare(progress) &&
    isMeasured(runMs) &&
    isString(state) &&
    isPayloadText(state),
  unsaved: isTextOfAttempt,
  output: isTextOfAttempt,
};

function isTextOfAttempt([, number, text, ...more]: readonly unknown[]): boolean {
  return more.length === 0 && isNumber(number) && isString(text);
}

function areOutcomes(items: readonly unknown[]): boolean {
  for (let i = 0; i < items.length; i += doneWidth) {
    // By their places: a list of its own for each outcome would cost more than the look.
    const kind = items[i + 1];
    const text = items[i + 2];
    if (!isNumber(items[i]) || !isNumber(kind) || kind > doneAgain) return false;
    if (kind === doneBytes ? !(text instanceof Uint8Array) : !isString(text)) return false;
    if (!isMeasured(items[i + 3]) || !isMeasured(items[i + 4])) return false;
    if (kind === doneResult && !isPayloadText(text as string)) return false;
  }
  return true;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0;
/** Milliseconds or seconds, as many as a coordinator takes: an attempt of thirty years. */
const isMeasured = (value: unknown): boolean => isNumber(value) && value <= 1e12;
const isShare = (value: unknown): boolean => isNumber(value) && value <= 1;
