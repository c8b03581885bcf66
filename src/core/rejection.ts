// The core says no. A value, never thrown; nothing has changed.

export interface Rejection<Code extends string = CoreRejectionCode> {
  readonly code: Code;
  /** One sentence a person can act on. */
  readonly detail: string;
}

export type CoreRejectionCode =
  | 'unknown_job'
  | 'job_is_final'
  | 'job_not_final'
  | 'nothing_to_retry'
  | 'unknown_worker'
  | 'stale_attempt'
  | 'not_yours'
  /** The scheduler proposed what no longer holds; the pass goes on without it. */
  | 'placement_refused';

export function reject(code: CoreRejectionCode, detail: string): { readonly rejection: Rejection } {
  return { rejection: { code, detail } };
}
