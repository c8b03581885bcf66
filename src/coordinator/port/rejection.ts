// How the coordinator says no.

import type { ErrorCode } from '../../protocol/errors.ts';

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly rejection: Rejection };

/** Nothing has changed. */
export interface Rejection {
  readonly code: ErrorCode;
  /** One sentence a person can act on. */
  readonly detail: string;
}
