// The errors that a client can get instead of an answer: the coordinator refused (`MusterError`), it gave
// no answer at all (`ConnectionError`), a function was not sent because it cannot run elsewhere
// (`ProgramError`), or a value because it is not JSON (`NotJsonError`), a task failed (`TaskError`) or the job
// was cancelled (`JobCancelledError`).

import type { ErrorCode } from '../protocol/error-codes.ts';

/** The coordinator refused; nothing has changed. `message` is the sentence it gave. */
export class MusterError extends Error {
  override readonly name = 'MusterError';
  /** HTTP status of the answer. */
  readonly status: number;
  /** Stable; from the coordinator's error table. */
  readonly code: ErrorCode | 'unknown';
  /** What is wrong in the request, and where; for `validation_failed`, else empty. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** From `Retry-After`; null when the coordinator did not say. */
  readonly retryAfterSeconds: number | null;
  /** The quota or limit that is used up, with `quota_exceeded`; else null. */
  readonly quota: string | null;

  constructor(refusal: {
    readonly status: number;
    readonly code: ErrorCode | 'unknown';
    readonly detail: string;
    readonly errors?: readonly { readonly path: string; readonly message: string }[];
    readonly retryAfterSeconds?: number | null;
    readonly quota?: string | null;
  }) {
    super(refusal.detail);
    this.status = refusal.status;
    this.code = refusal.code;
    this.errors = refusal.errors ?? [];
    this.retryAfterSeconds = refusal.retryAfterSeconds ?? null;
    this.quota = refusal.quota ?? null;
  }

  get detail(): string {
    return this.message;
  }
}

/** No coordinator answered, or it stopped answering halfway. `message` says where and what to try. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly url: string;
  /** `untrusted`: its certificate is not the pinned one, or is not trusted; nothing was sent. */
  readonly reason: 'unreachable' | 'timeout' | 'interrupted' | 'not_muster' | 'untrusted';

  constructor(url: string, reason: ConnectionError['reason'], cause?: unknown) {
    super(sentences[reason](url, cause), { cause });
    this.url = url;
    this.reason = reason;
  }
}

const sentences: Record<ConnectionError['reason'], (url: string, cause: unknown) => string> = {
  unreachable: (url, cause) =>
    `No coordinator answers at ${url}${rootOf(cause)}. Is it running, and is this its address?` +
    hintForPages(url),
  timeout: (url) => `The coordinator at ${url} did not answer in time. Try again in a moment.`,
  interrupted: (url, cause) =>
    `The connection to the coordinator at ${url} broke${rootOf(cause)}. Is it still running?`,
  untrusted: (_url, cause) => (cause as Error).message,
  not_muster: (url, cause) =>
    `What answers at ${url} is not a coordinator${redirection(cause)}. Is this its address?`,
};

function redirection(cause: unknown): string {
  const { redirectsTo } = (cause ?? {}) as { redirectsTo?: unknown };
  if (typeof redirectsTo !== 'string') return '';
  return `: it sends whoever asks to ${redirectsTo}, where nothing was sent`;
}

/** A browser does not tell a page why it may not read an answer. */
function hintForPages(url: string): string {
  const origin = (globalThis as { location?: { origin?: string } }).location?.origin;
  if (origin === undefined || new URL(url).origin === origin) return '';
  return ` Pages of ${origin} may ask it only when it was started with --allow-origin ${origin}.`;
}

/** The message of `fetch` is only "fetch failed"; the system's code is in the innermost cause. */
function rootOf(cause: unknown): string {
  let deepest: unknown = cause;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  const code = (deepest as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? ` (${code})` : '';
}

/** Something in a function that keeps it from running on other devices. */
export interface ProgramProblem {
  /** The name that the problem is about; null when it is about none. */
  readonly name: string | null;
  /** Line and column in the source of the function, from 1; null when the problem has no place. */
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
}

/** The program cannot run on other devices. Nothing has been sent. */
export class ProgramError extends Error {
  override readonly name = 'ProgramError';
  readonly problems: readonly ProgramProblem[];

  constructor(what: string, problems: readonly ProgramProblem[]) {
    const [first, ...others] = problems.map(problemText);
    super(
      others.length === 0
        ? `${what} cannot run on other devices: ${first}`
        : [`${what} cannot run on other devices:`, first, ...others].join('\n  '),
    );
    this.problems = problems;
  }
}

function problemText({ line, column, message }: ProgramProblem): string {
  return line === null ? message : `${message} (line ${line}, column ${column})`;
}

/** A value cannot be sent, because JSON would change it without a word. There is no job, and no blob. */
export class NotJsonError extends Error {
  override readonly name = 'NotJsonError';
}

/** A task failed for good. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  readonly jobId: string;
  readonly taskId: string;
  /** Index of its input. */
  readonly index: number;
  /** Name of the error that the task threw, or the reason that the worker or coordinator gave. */
  readonly type: string;
  /** Message of that error. */
  readonly reason: string;
  /**
   * Where it was thrown, a frame a line, innermost first: in the person's own files where the program has a
   * source map, else `program:line:column`. Null when that is not known, and with `failures: 'collect'`.
   */
  readonly remoteStack: string | null;

  constructor(failure: {
    readonly jobId: string;
    readonly taskId: string;
    readonly index: number;
    readonly type: string;
    readonly reason: string;
    readonly remoteStack?: string | null;
  }) {
    super(`Task ${failure.index} failed with ${failure.type}: ${failure.reason}`);
    this.jobId = failure.jobId;
    this.taskId = failure.taskId;
    this.index = failure.index;
    this.type = failure.type;
    this.reason = failure.reason;
    this.remoteStack = failure.remoteStack ?? null;
  }
}

/** The job was cancelled, by `cancel()` or by somebody else, before all of its results were there. */
export class JobCancelledError extends Error {
  override readonly name = 'JobCancelledError';
  /** Null when it was cancelled before there was a job. */
  readonly jobId: string | null;

  constructor(jobId: string | null) {
    super(jobId === null ? 'Cancelled before the job began.' : `Job ${jobId} was cancelled.`);
    this.jobId = jobId;
  }
}
