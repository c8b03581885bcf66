// Pages of other origins (CORS): those on the list may ask and read, without credentials; a browser asks
// first (a *preflight*) before most requests, and is answered here for every address.

import type { FastifyReply, FastifyRequest } from 'fastify';

/** What a page may read of an answer, beside its body and the few headers that every page may. */
const readable = 'Allow, ETag, Link, Location, Retry-After';
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const askable = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID';
/** How long a browser may remember what it was told. */
const preflightSeconds = '600';

/** Lets the page read the answer, errors too. `origin` as its browser has sent it. */
export function letPageRead(reply: FastifyReply, origin: string): void {
  reply
    .header('access-control-allow-origin', origin)
    .header('access-control-expose-headers', readable);
}

/** True when a browser asks whether a page may send a request. */
export function isPreflight({ method, headers }: FastifyRequest['raw']): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}

/** An address that does not exist is allowed too: then the page can read that it does not. */
export function answerPreflight({ headers }: FastifyRequest['raw'], reply: FastifyReply): void {
  reply
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', askable)
    .header('access-control-max-age', preflightSeconds);
  // Some browsers ask this for pages of the web that speak to a machine of their own network.
  if (headers['access-control-request-private-network'] === 'true') {
    reply.header('access-control-allow-private-network', 'true');
  }
  reply.code(204).send();
}

/** For caches: the answer would be another with another value of this header. */
export function addVary(reply: FastifyReply, name: string): void {
  const names = reply.getHeader('vary');
  reply.header('vary', typeof names === 'string' ? `${names}, ${name}` : name);
}
