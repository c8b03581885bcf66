// What a client can get instead of an answer. Two kinds, told apart by class: the coordinator said
// no (`MusterError`), or there was no answer at all (`ConnectionError`).

import type { ErrorCode } from '../protocol/errors.ts';

/** The coordinator refused; nothing has changed. `message` is the sentence it gave. */
export class MusterError extends Error {
  override readonly name = 'MusterError';
  /** HTTP status of the answer. */
  readonly status: number;
  /** Stable; from the coordinator's error table. */
  readonly code: ErrorCode | 'unknown';
  /** With `validation_failed`: what is wrong, and where. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  /** From `Retry-After`; null when the coordinator did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(refusal: {
    readonly status: number;
    readonly code: ErrorCode | 'unknown';
    readonly detail: string;
    readonly errors?: readonly { readonly path: string; readonly message: string }[];
    readonly retryAfterSeconds?: number | null;
  }) {
    super(refusal.detail);
    this.status = refusal.status;
    this.code = refusal.code;
    this.errors = refusal.errors ?? [];
    this.retryAfterSeconds = refusal.retryAfterSeconds ?? null;
  }

  get detail(): string {
    return this.message;
  }
}

/** No coordinator answered, or it stopped answering halfway. `message` says where and what to try. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly url: string;
  readonly reason: 'unreachable' | 'timeout' | 'interrupted' | 'not_muster';

  constructor(url: string, reason: ConnectionError['reason'], cause?: unknown) {
    super(sentences[reason](url, cause), { cause });
    this.url = url;
    this.reason = reason;
  }
}

const sentences: Record<ConnectionError['reason'], (url: string, cause: unknown) => string> = {
  unreachable: (url, cause) =>
    `No coordinator answers at ${url}${rootOf(cause)}. Is it running, and is this its address?`,
  timeout: (url) => `The coordinator at ${url} did not answer in time. Try again in a moment.`,
  interrupted: (url, cause) =>
    `The connection to the coordinator at ${url} broke${rootOf(cause)}. Is it still running?`,
  not_muster: (url) => `What answers at ${url} is not a coordinator. Is this its address?`,
};

/** `fetch` says only "fetch failed"; the system's own word for it is further down. */
function rootOf(cause: unknown): string {
  let deepest: unknown = cause;
  while (deepest instanceof Error && deepest.cause instanceof Error) deepest = deepest.cause;
  const code = (deepest as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? ` (${code})` : '';
}
