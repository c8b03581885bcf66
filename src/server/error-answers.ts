// Answers every error (of a route, the framework or the HTTP parser) with the one body that the contract
// names. A stack trace goes to the log, never on the wire.

import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../protocol/error-codes.ts';
import type { ErrorBody } from '../protocol/errors.ts';
import { answerHeaders, setAnswerHeaders } from './gate.ts';
import { BadToken, ClientGone, Refusal, statusOf, StrangerRefusal } from './refusal.ts';

const plainHeaderLines = Object.entries(answerHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');
export const damagedDetail =
  'The database is damaged where this is stored. Restore a backup; the log has the rest.';
export const unknownOutcome =
  'It is not known whether this took effect; repeat it with the same Idempotency-Key.';
const unreachable =
  'The database of the coordinator does not answer, so nothing was read or changed; try again in a moment.';
export const bugDetail = 'The coordinator failed at this request; its log has the rest.';

/** Refusals of 500 and more that are no failure. */
const expected: ReadonlySet<ErrorCode> = new Set([
  'busy',
  'disk_full',
  'leader_changed',
  'shutting_down',
]);

/** Of refusals that say when to come again. */
const laterCodes: ReadonlySet<ErrorCode> = new Set(['busy', 'leader_changed', 'overloaded']);

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (isOfGoneClient(error, request)) {
    request.log.debug({ url: request.url }, 'the client left before its answer');
    return void reply.raw.destroy();
  }
  setAnswerHeaders(reply);
  const body = errorBody(error, request);
  const status = statusOf(body.code);
  const tokenId = error instanceof BadToken ? error.tokenId : null;
  request.refusedAs = { code: body.code, tokenId };
  const isFailure = status >= 500 && !expected.has(body.code);
  if (isFailure) request.log.error({ err: error, url: request.url }, 'request failed');
  if (body.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  if (error instanceof StrangerRefusal) reply.header('connection', 'close');
  const seconds = retryAfterSeconds(error, body.code);
  if (seconds !== undefined) reply.header('retry-after', String(seconds));
  reply.code(status).type('application/json; charset=utf-8').send(body);
}

/** For requests that the framework refuses before any route: addresses that cannot be decoded. */
export function answerFrameworkError(
  _error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  answerError(new Refusal('not_found', noSuchPath(request)), request, reply);
}

export function noSuchPath(request: Pick<FastifyRequest, 'method' | 'url'>): string {
  const path = request.url.split('?', 1)[0]!;
  const short = path.length <= 120 ? path : `${path.slice(0, 120)}…`;
  return `There is nothing at ${request.method} ${short}; /docs lists every address.`;
}

/** For bytes that the HTTP parser refuses: there is no request, only a socket. */
export function answerParserError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  answerOnSocket(socket, ...parserRefusal(error.code));
}

/** Answers on a socket without a request and ends the connection. */
export function answerOnSocket(socket: Duplex, code: ErrorCode, detail: string): void {
  const body = JSON.stringify({ detail, code } satisfies ErrorBody);
  socket.end(
    `HTTP/1.1 ${statusOf(code)} Error\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `${plainHeaderLines}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function parserRefusal(code: string | undefined): [ErrorCode, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return ['payload_too_large', 'The headers are too large.'];
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return ['request_timeout', 'The request did not arrive in time.'];
  }
  return ['malformed_request', 'This is not HTTP that can be read.'];
}

/** True when nothing was done, because the coordinator had ended or had not started yet. */
export function isOfStop(error: unknown): boolean {
  const { name, code } = error as NodeJS.ErrnoException;
  return name === 'CoordinatorStopped' || (name === 'StoreFault' && code === 'store_closed');
}

/** True when the error comes from a request that was cut off, not from a fault at the same time. */
function isOfGoneClient(error: unknown, { raw }: FastifyRequest): boolean {
  if (error instanceof ClientGone) return true;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' && raw.destroyed && !raw.complete;
}

function errorBody(error: unknown, request: FastifyRequest): ErrorBody {
  if (error instanceof Refusal) {
    const { message: detail, code, errors, exceeded } = error;
    if (exceeded !== undefined) return { detail, code, quota: exceeded.quota };
    if (code !== 'validation_failed') return { detail, code };
    return { detail, code, errors: errors ?? [{ path: '', message: detail }] };
  }
  const { name, code, message, statusCode } = error as Partial<FastifyError>;
  if (name === 'JobRemoved') return { detail: message!, code: 'unknown_job' };
  // For one damaged value the message names its task; a damaged file is named only in the log.
  if (code === 'value_damaged') return { detail: message!, code: 'store_damaged' };
  if (code === 'store_damaged') return { detail: damagedDetail, code };
  if (isOfStop(error)) {
    const detail = 'The coordinator is stopping; try again in a moment.';
    return { detail, code: 'shutting_down' };
  }
  if (request.server.isOfCluster && isOfChange(code)) {
    return { detail: changeDetail(request), code: 'leader_changed' };
  }
  if (code === 'store_unreachable') return { detail: unreachable, code: 'busy' };
  if (name === 'StoreFault') {
    return { detail: storageDetail(code, request), code: 'storage_failed' };
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return errorBody(new Refusal('validation_failed', 'The content type cannot be read.'), request);
  }
  // QUERY, which no address takes, is looked at by the framework before any route.
  if (code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') {
    return { detail: `${request.method} is not possible here.`, code: 'method_not_allowed' };
  }
  if (statusCode === 413) return { detail: 'The body is too large.', code: 'payload_too_large' };
  // From the files behind `/docs`: the path leaves their folder, or is too long.
  if (statusCode === 404 || statusCode === 403) {
    return { detail: noSuchPath(request), code: 'not_found' };
  }
  return { detail: bugDetail, code: 'internal' };
}

/** Another coordinator has taken over, or will, or the database went back: what was being committed may have been. */
const changes = new Set(['store_deposed', 'store_lost_commits', 'store_unanswered']);

function isOfChange(code: string | undefined): boolean {
  return changes.has(code ?? '');
}

function changeDetail({ method }: FastifyRequest): string {
  if (method !== 'GET' && method !== 'HEAD') return unknownOutcome;
  return 'Another coordinator of the cluster took over before this was read; ask again.';
}

function retryAfterSeconds(error: unknown, code: ErrorCode): number | undefined {
  if (error instanceof Refusal && error.exceeded !== undefined) {
    return error.exceeded.retryAfterSeconds;
  }
  return laterCodes.has(code) ? 1 : undefined;
}

export function storageDetail(
  fault: string | undefined,
  { method }: Pick<FastifyRequest, 'method'>,
): string {
  if (method === 'GET' || method === 'HEAD') {
    return 'What was asked for could not be read from the database; the log of the coordinator has the rest.';
  }
  if (fault === 'store_read_failed') {
    return (
      'What this request is about could not be read from the database, so nothing was changed; ' +
      'the log of the coordinator has the rest.'
    );
  }
  if (fault === 'store_unanswered') return unknownOutcome;
  if (fault === 'store_full') {
    return (
      'The disk of the coordinator is full; nothing of this request was kept. ' +
      'Free some space there, then try again.'
    );
  }
  return 'The disk refused the commit; nothing of this request was kept.';
}
