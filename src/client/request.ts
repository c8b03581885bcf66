// One HTTP request to the coordinator: address, token, time limit, and the meaning of the answer.
// Nothing here repeats a request that was taken: only the callers know whether that is safe.

import { isErrorCode } from '../protocol/error-codes.ts';
import type { ErrorBody } from '../protocol/errors.ts';
import { type Answer, type Ask, canPin, loadPinning, type TextReader } from '../transport/index.ts';
import type { Bytes } from './bytes.ts';
import { ConnectionError, MusterError } from './errors.ts';
import { pause } from './patience.ts';

/** Of a request beyond the rate of its token. */
const MOST_TRIES = 5;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A token, or a function that gives the one to show now. */
export type TokenSource = string | (() => string | Promise<string>);

export interface Endpoint {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: TokenSource | undefined;
  readonly fetch: Ask;
  /** How long an answer may take to begin; for an answer in JSON also to end. */
  readonly timeoutMs: number;
  /** Whether anything has answered at this address before. If so, it is worth waiting for an answer. */
  readonly state: { hasAnswered: boolean };
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: NonNullable<RequestInit['body']>;
  readonly signal?: AbortSignal | undefined;
  /** The body is sent while it is made, so the request has no time limit. */
  readonly streamsBody?: boolean;
  /** A stream on which nothing comes for so long is taken for broken. */
  readonly silenceMs?: number;
  /** What a stream has to be: a page of somebody else on the way is none. */
  readonly mediaType?: string;
}

/** An answer in JSON, and its text as it was sent: its numbers may be larger than JavaScript can hold. */
export interface Exact<T> {
  readonly text: string;
  readonly value: T;
}

/** Returns the value of an answer in JSON. */
export async function requestJson<T>(
  endpoint: Endpoint,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  return (await requestExact<T>(endpoint, path, options)).value;
}

/** The same, beside its text. */
export async function requestExact<T>(
  endpoint: Endpoint,
  path: string,
  options: RequestOptions = {},
): Promise<Exact<T>> {
  const limit = timeLimit(endpoint, options);
  try {
    const response = await send(endpoint, path, options, limit);
    return (await readJson(endpoint, response, limit)) as Exact<T>;
  } finally {
    limit.end();
  }
}

/** Returns the bytes of an answer; there is no time limit once it has begun. */
export async function requestBytes(
  endpoint: Endpoint,
  path: string,
  options: RequestOptions = {},
): Promise<Bytes> {
  const limit = timeLimit(endpoint, options);
  try {
    const response = await send(endpoint, path, options, limit).finally(limit.clear);
    return await bytesOf(endpoint, response, limit);
  } finally {
    limit.end();
  }
}

async function bytesOf(endpoint: Endpoint, response: Answer, limit: TimeLimit): Promise<Bytes> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (cause) {
    throw failure(endpoint, limit, cause, 'interrupted');
  }
}

/** Gives the text of an answer in pieces as they come; there is no time limit once it has begun. */
export async function* requestText(
  endpoint: Endpoint,
  path: string,
  options: RequestOptions = {},
): AsyncGenerator<string, void, void> {
  const limit = timeLimit(endpoint, options);
  try {
    const response = await send(endpoint, path, options, limit).finally(limit.clear);
    if (!isOfType(response, options.mediaType)) {
      drop(response);
      throw new ConnectionError(endpoint.url, 'not_muster');
    }
    yield* piecesOf(endpoint, response, limit, options.silenceMs);
  } finally {
    limit.end();
  }
}

/** An answer that goes on. Whoever has it reads it to its end, or leaves. */
export interface OpenText {
  /** The text behind the first line, once; leaves when the reader stops, or `signal` ends it. */
  read(signal: AbortSignal | undefined): AsyncGenerator<string, void, void>;
  leave(): void;
}

/**
 * The first line of an answer in lines, and the others while they come; or a whole answer in JSON, from a
 * coordinator that answers so. The time limit is for the first line.
 */
export async function requestLines(
  endpoint: Endpoint,
  path: string,
  options: RequestOptions,
): Promise<{ first: unknown; rest: OpenText } | { whole: unknown }> {
  const limit = timeLimit(endpoint, options);
  let isOpen = false;
  try {
    const response = await send(endpoint, path, options, limit);
    if (response.headers.get('content-type')?.startsWith(linesType) !== true) {
      return { whole: (await readJson(endpoint, response, limit)).value };
    }
    const pieces = piecesOf(endpoint, response, limit, options.silenceMs);
    const { line, rest } = await firstLine(endpoint, pieces);
    const first = parsed(endpoint, line);
    limit.clear();
    isOpen = true;
    return { first, rest: openText(rest, pieces, limit) };
  } finally {
    if (!isOpen) limit.end();
  }
}

const linesType = 'application/x-ndjson';

async function firstLine(
  { url }: Endpoint,
  pieces: AsyncGenerator<string, void, void>,
): Promise<{ line: string; rest: string }> {
  let text = '';
  for (;;) {
    const { done, value } = await pieces.next();
    if (done === true) throw new ConnectionError(url, 'interrupted');
    text += value;
    const end = text.indexOf('\n');
    if (end >= 0) return { line: text.slice(0, end), rest: text.slice(end + 1) };
  }
}

function openText(
  begin: string,
  pieces: AsyncGenerator<string, void, void>,
  limit: TimeLimit,
): OpenText {
  async function* read(signal: AbortSignal | undefined) {
    const leave = () => limit.leave(signal?.reason);
    try {
      if (signal?.aborted === true) leave();
      signal?.addEventListener('abort', leave, { once: true });
      if (begin !== '') yield begin;
      yield* pieces;
    } finally {
      signal?.removeEventListener('abort', leave);
      await pieces.return().catch(() => {});
      limit.end();
    }
  }
  return {
    read,
    leave: () => {
      limit.leave();
      void pieces.return().catch(() => {});
      limit.end();
    },
  };
}

async function* piecesOf(
  endpoint: Endpoint,
  response: Answer,
  limit: TimeLimit,
  silenceMs: number | undefined,
): AsyncGenerator<string, void, void> {
  const reader = readerOf(response);
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await (silenceMs === undefined
        ? reader.read()
        : readBefore(reader, silenceMs));
      if (done) return;
      yield value!;
    }
  } catch (cause) {
    throw failure(endpoint, limit, cause, 'interrupted');
  } finally {
    // The reader of this generator may stop early: the coordinator must then stop sending.
    await reader.cancel().catch(() => {});
  }
}

function readerOf(response: Answer): TextReader | undefined {
  return response.texts?.() ?? response.body?.pipeThrough(new TextDecoderStream()).getReader();
}

/** Nobody reads it. */
function drop(response: Answer): void {
  void readerOf(response)
    ?.cancel()
    .catch(() => {});
}

/** One that says nothing of its type is taken as it is. */
function isOfType({ headers }: Answer, mediaType: string | undefined): boolean {
  const told = headers.get('content-type');
  return mediaType === undefined || told === null || told.startsWith(mediaType);
}

async function readBefore(reader: TextReader, silenceMs: number): ReturnType<TextReader['read']> {
  let isSilent = false;
  // What is cancelled ends the reading, well or not.
  const timer = setTimeout(() => {
    isSilent = true;
    void reader.cancel().catch(() => {});
  }, silenceMs);
  try {
    const read = await reader.read();
    if (!isSilent) return read;
  } catch (error) {
    if (!isSilent) throw error;
  } finally {
    clearTimeout(timer);
  }
  throw new Error('nothing came for too long');
}

interface TimeLimit {
  readonly signal: AbortSignal;
  readonly hasPassed: () => boolean;
  /** There is no limit from here on; the signal of whoever asks still counts. */
  readonly clear: () => void;
  /** Ends the request: nobody waits for it. */
  readonly leave: (reason?: unknown) => void;
  /** Nothing of the request is left. */
  readonly end: () => void;
}

/** By hand, as phones of a few years ago have no `AbortSignal.any`. */
function timeLimit(endpoint: Endpoint, options: RequestOptions): TimeLimit {
  const limit = new AbortController();
  const outer = options.signal;
  let hasPassed = false;
  const pass = (): void => {
    hasPassed = !limit.signal.aborted;
    limit.abort();
  };
  const leave = (reason?: unknown): void => limit.abort(reason);
  const follow = (): void => leave(outer?.reason);
  const timer = options.streamsBody ? undefined : setTimeout(pass, endpoint.timeoutMs);
  if (outer?.aborted === true) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  const clear = (): void => clearTimeout(timer);
  return {
    signal: limit.signal,
    hasPassed: () => hasPassed,
    clear,
    leave,
    end: () => {
      clear();
      outer?.removeEventListener('abort', follow);
    },
  };
}

/** A request beyond the rate of the token was not read: it is made again, whatever it is, a few times. */
async function send(
  endpoint: Endpoint,
  path: string,
  options: RequestOptions,
  limit: TimeLimit,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await sendOnce(endpoint, path, options, limit);
    } catch (error) {
      const isRate = error instanceof MusterError && error.quota === 'requests_per_second';
      if (!isRate || options.streamsBody || tries === MOST_TRIES) throw error;
      // All that were refused at the same time would ask again at the same time.
      const ms = 1_000 * (error.retryAfterSeconds ?? 1) * (1 + Math.random() / 2);
      await pause(ms, limit.signal).catch(() => {
        throw limit.hasPassed() ? error : (options.signal?.reason as Error);
      });
    }
  }
}

async function sendOnce(
  endpoint: Endpoint,
  path: string,
  options: RequestOptions,
  limit: TimeLimit,
): Promise<Answer> {
  options.signal?.throwIfAborted();
  const init: RequestInit & { duplex?: 'half' } = {
    method: options.method ?? 'GET',
    headers: { accept: 'application/json', ...(await authorization(endpoint)), ...options.headers },
    signal: limit.signal,
    // A coordinator sends nobody elsewhere, and what the body holds is for nobody else.
    redirect: 'manual',
    ...(options.body === undefined ? {} : { body: options.body }),
    ...(options.streamsBody ? { duplex: 'half' } : {}),
  };
  let response: Answer;
  try {
    response = await endpoint.fetch(`${endpoint.url}${path}${queryString(options)}`, init);
  } catch (cause) {
    throw (await untrusted(endpoint, cause)) ?? failure(endpoint, limit, cause, 'unreachable');
  }
  if (isElsewhere(response)) {
    drop(response);
    throw new ConnectionError(endpoint.url, 'not_muster', placeOf(response));
  }
  remember(endpoint);
  if (!response.ok) throw await refusal(endpoint, response, limit);
  return response;
}

function remember(endpoint: Endpoint): void {
  const { state } = endpoint;
  state.hasAnswered = true;
}

async function authorization({ token }: Endpoint): Promise<Record<string, string>> {
  if (token === undefined) return {};
  return { authorization: `Bearer ${typeof token === 'string' ? token : await token()}` };
}

function queryString({ query = {} }: RequestOptions): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  if (pairs.length === 0) return '';
  return `?${new URLSearchParams(pairs.map(([key, value]) => [key, String(value)]))}`;
}

async function refusal(
  endpoint: Endpoint,
  response: Answer,
  limit: TimeLimit,
): Promise<MusterError | ConnectionError> {
  const { value } = await readJson(endpoint, response, limit).catch((error: unknown) => {
    if (error instanceof ConnectionError && error.reason === 'not_muster') return { value: null };
    throw error;
  });
  const body = value as Partial<ErrorBody> | null;
  if (typeof body?.detail !== 'string') {
    return new ConnectionError(endpoint.url, isGateway(response) ? 'unreachable' : 'not_muster');
  }
  const retryAfter = Number(response.headers.get('retry-after') ?? 'none');
  return new MusterError({
    status: response.status,
    code: isErrorCode(body.code) ? body.code : 'unknown',
    detail: body.detail,
    errors: body.errors ?? [],
    quota: body.quota ?? null,
    retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : null,
  });
}

/** In a page such an answer says nothing but that it is one. */
function isElsewhere({ type, status }: Answer): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

/** Only the origin: the rest is whatever that server likes to say. */
function placeOf({ headers }: Answer): { readonly redirectsTo: string } {
  const location = headers.get('location') ?? '';
  const redirectsTo = URL.canParse(location) ? new URL(location).origin : 'another address';
  return { redirectsTo };
}

/** True for the answer of a proxy that cannot reach the coordinator. */
function isGateway({ status }: Answer): boolean {
  return status >= 502 && status <= 504;
}

async function readJson(
  endpoint: Endpoint,
  response: Answer,
  limit: TimeLimit,
): Promise<Exact<unknown>> {
  let text: string;
  try {
    text = await response.text();
  } catch (cause) {
    throw failure(endpoint, limit, cause, 'interrupted');
  }
  return { text, value: parsed(endpoint, text) };
}

function parsed({ url }: Endpoint, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new ConnectionError(url, 'not_muster', cause);
  }
}

/** The error when the certificate was not taken. */
async function untrusted({ url }: Endpoint, cause: unknown): Promise<ConnectionError | undefined> {
  if (!url.startsWith('https:') || !canPin()) return undefined;
  const { explainUntrusted } = await loadPinning();
  const why = await explainUntrusted(url, cause);
  return why === undefined ? undefined : new ConnectionError(url, 'untrusted', why);
}

/** The error for a failed `fetch`: the reason of the caller's signal, or a `ConnectionError`. */
function failure(
  endpoint: Endpoint,
  limit: TimeLimit,
  cause: unknown,
  otherwise: 'unreachable' | 'interrupted',
): unknown {
  if (limit.hasPassed()) return new ConnectionError(endpoint.url, 'timeout', cause);
  if (limit.signal.aborted) return limit.signal.reason;
  return new ConnectionError(endpoint.url, otherwise, cause);
}
