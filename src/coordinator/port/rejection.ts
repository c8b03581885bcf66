// How the coordinator says no. Nothing has changed then, and the detail is a sentence that a person can
// act on.

import type { CoreRejectionCode, Rejection as CoreRejection } from '../../core/rejection.ts';
import type { ErrorCode } from '../../protocol/error-codes.ts';

/** Every reason of the coordinator: the core's, those of the HTTP interface, those told to workers alone. */
export type RejectionCode = CoreRejectionCode | ErrorCode | WorkerCode;

type WorkerCode = 'protocol_error' | 'protocol_mismatch' | 'checkpoint_too_large';

export type Rejection<Code extends RejectionCode = RejectionCode> = CoreRejection<Code> & {
  /** Only with `quota_exceeded`. */
  readonly exceeded?: Exceeded;
};

/** Which quota is used up. */
export interface Exceeded {
  readonly quota: string;
  /** When to try again, at least 1. */
  readonly retryAfterSeconds: number;
}

/** The answer to a request: each reason to refuse it has its line in the table of the interface. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly rejection: Rejection<ErrorCode> };
