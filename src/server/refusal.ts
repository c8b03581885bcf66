// The refusal of a request: thrown by routes, turned into an answer in `error-answers.ts`.

import type { Result } from '../coordinator/port/rejection.ts';
import { type ErrorBody, type ErrorCode, errorTable } from '../protocol/errors.ts';

export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly errors: ErrorBody['errors'];

  constructor(code: ErrorCode, detail: string, errors?: ErrorBody['errors']) {
    super(detail);
    this.code = code;
    this.errors = errors;
  }
}

/** The client left in the middle of its request: nobody waits for an answer, and nothing has failed. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** The value of a result. A rejection by the coordinator is thrown as a refusal of the request. */
export function accepted<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new Refusal(result.rejection.code, result.rejection.detail);
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
