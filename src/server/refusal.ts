// The refusal of a request: thrown by routes, turned into an answer in `error-answers.ts`.

import type { Exceeded, Result } from '../coordinator/port/rejection.ts';
import type { ErrorCode } from '../protocol/error-codes.ts';
import { type ErrorBody, errorTable } from '../protocol/errors.ts';

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly errors: ErrorBody['errors'];
  readonly exceeded: Exceeded | undefined;

  constructor(code: ErrorCode, detail: string, errors?: ErrorBody['errors'], exceeded?: Exceeded) {
    super(detail);
    this.code = code;
    this.errors = errors;
    this.exceeded = exceeded;
  }
}

/** A quota of a token, or a limit of an address, is used up. */
export function quotaExceeded(detail: string, exceeded: Exceeded): Refusal {
  return new Refusal('quota_exceeded', detail, undefined, exceeded);
}

/** Of who has shown nothing good and asks too much: the connection ends, with all that waits on it. */
export class StrangerRefusal extends Refusal {
  constructor(detail: string, exceeded: Exceeded) {
    super('quota_exceeded', detail, undefined, exceeded);
  }
}

/** A token that is good no more, or never was. */
export class BadToken extends Refusal {
  /** Public; null for one that nobody knows. */
  readonly tokenId: string | null;

  constructor(detail: string, tokenId: string | null) {
    super('unauthorized', detail);
    this.tokenId = tokenId;
  }
}

/** The client left in the middle of its request: nobody waits for an answer, and nothing has failed. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** The value of a result. A rejection by the coordinator is thrown as a refusal of the request. */
export function accepted<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  const { code, detail, exceeded } = result.rejection;
  throw new Refusal(code, detail, undefined, exceeded);
}

/** A field is well formed, and cannot be taken all the same. */
export function refusedField(path: string, message: string): Refusal {
  return new Refusal('validation_failed', `${path} ${message}.`, [{ path, message }]);
}

export function unknownJob(id: string): Refusal {
  return new Refusal('unknown_job', `No job has the id ${shown(id)}.`);
}

export function unknownWorker(id: string): Refusal {
  return new Refusal('unknown_worker', `No worker has the id ${shown(id)}.`);
}

export function unknownBlob(name: string): Refusal {
  return new Refusal('unknown_blob', `No blob has the hash ${shown(name)}.`);
}

export function statusOf(code: ErrorCode): number {
  return errorTable[code].status;
}

/** A value from outside as text that is short enough for a sentence. */
export function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'an array' : 'an object';
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 80 ? text : `${text.slice(0, 76)}…${typeof value === 'string' ? '"' : ''}`;
}
