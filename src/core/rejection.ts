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
  | 'not_waiting'
  | 'stale_attempt'
  | 'not_yours'
  /** The scheduler proposed what no longer holds; the pass goes on without it. */
  | 'placement_refused';

export function reject(code: CoreRejectionCode, detail: string): { readonly rejection: Rejection } {
  return { rejection: { code, detail } };
}

export function unknownJob(id: string): { readonly rejection: Rejection } {
  return reject('unknown_job', `No job has the id ${quotedId(id)}.`);
}

export function unknownWorker(id: string): { readonly rejection: Rejection } {
  return reject('unknown_worker', `No worker has the id ${quotedId(id)}.`);
}

/** An id from outside as it stands in a sentence: short enough, and with nothing in it that ends one. */
export function quotedId(id: string): string {
  const text = JSON.stringify(id);
  return text.length <= LONGEST_ID ? text : `${text.slice(0, LONGEST_ID - 4)}…"`;
}

const LONGEST_ID = 80;
