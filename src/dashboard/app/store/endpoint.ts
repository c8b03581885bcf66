// Asks the coordinator that has served this page. Who asks is told by a session that no script can read.

import { ConnectionError, MusterError } from '../../../client/errors.ts';
import { type Endpoint, requestJson, type RequestOptions } from '../../../client/request.ts';
import { refusalOfToken, tokenAsked } from './session.ts';

export const endpoint: Endpoint = {
  url: location.origin,
  token: undefined,
  // Who is asked for a token is not asked again and again: wrong ones are counted.
  fetch: (url, init) => {
    const why = tokenAsked.value;
    const isAsked = why === null || url.endsWith(sessionPath);
    return isAsked ? fetch(url, init) : Promise.resolve(refusal(why));
  },
  timeoutMs: 30_000,
  state: { hasAnswered: true },
};

export type Query = NonNullable<RequestOptions['query']>;

export function read<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return ask(path, { query, signal });
}

/** A change. Its answer is the new state of what was changed; nothing is shown as changed before. */
export function change<T>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  return ask(path, { method, headers, ...sent });
}

async function ask<T>(path: string, options: RequestOptions): Promise<T> {
  const refuse = refusalOfToken();
  try {
    return await requestJson<T>(endpoint, path, options);
  } catch (error) {
    if (isUnauthorized(error)) refuse(error.message);
    throw error;
  }
}

const sessionPath = '/api/session';

/** As the coordinator would answer. */
function refusal(detail: string): Response {
  return Response.json({ status: 401, code: 'unauthorized', detail }, { status: 401 });
}

export function isUnauthorized(error: unknown): error is MusterError {
  return error instanceof MusterError && error.status === 401;
}

/** What was there before is there no more. */
export function isGone(error: unknown): boolean {
  return error instanceof MusterError && error.status === 404;
}

/** It may go well when it is tried again. */
export function isPassing(error: unknown): boolean {
  return !(error instanceof MusterError) || error.status === 429 || error.status >= 500;
}

const ofLanguage = [SyntaxError, TypeError, RangeError];

/** What went wrong, as a sentence for people. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ConnectionError) return 'The coordinator does not answer.';
  // What the language says of it is nothing for people.
  if (ofLanguage.some((kind) => error instanceof kind)) return 'What came was not understood.';
  return error instanceof Error ? error.message : String(error);
}

/** The word of the coordinator for what went wrong, or null. */
export function codeOf(error: unknown): string | null {
  return error instanceof MusterError ? error.code : null;
}

export const pathOfJob = (id: string): string => `/api/jobs/${encodeURIComponent(id)}`;
export const pathOfWorker = (id: string): string => `/api/workers/${encodeURIComponent(id)}`;
