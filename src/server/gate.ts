// The gate that every request passes first, upgrades to sockets included: it checks who may ask, and sets
// the headers that every answer carries. For pages of the list it answers what their browsers ask first.

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Caller, Callers } from './callers.ts';
import { addVary, answerPreflight, isPreflight, letPageRead } from './cross-origin.ts';
import { isLoopbackAddress, isLoopbackHost } from './loopback.ts';
import { OriginCheck } from './origin.ts';
import { Refusal } from './refusal.ts';

/** The browser must not guess types, not give answers to pages of other origins, and send no referrer. */
export const answerHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

export function setAnswerHeaders(reply: FastifyReply): void {
  reply.headers(answerHeaders);
}

/** Call before other hooks that answer are added. */
export function guard(
  app: FastifyInstance,
  allowedOrigins: readonly string[],
  callers: Callers,
): void {
  const origins = new OriginCheck(allowedOrigins);
  app.addHook('onRequest', (request, reply, done) => {
    setAnswerHeaders(reply);
    if (allowedOrigins.length > 0) addVary(reply, 'origin');
    const { origin } = request.raw.headers;
    const caller = callers.of(request.raw);
    const { host, scheme } = caller;
    if (!isLoopbackHost(host)) return done(new Refusal('forbidden', foreignHost));
    if (isFromElsewhere(caller)) return done(new Refusal('forbidden', foreignAddress));
    const reason = origin === undefined ? null : origins.refusal(origin, `${scheme}://${host}`);
    if (reason !== null) return done(new Refusal('forbidden', reason));
    if (origin === undefined || !origins.isListed(origin)) return done();
    letPageRead(reply, origin);
    if (isPreflight(request.raw)) answerPreflight(request.raw, reply);
    else done();
  });
}

/** Only a proxy can tell of such an address: without tokens nothing listens elsewhere. */
function isFromElsewhere({ address }: Caller): boolean {
  return address !== '' && !isLoopbackAddress(address);
}

const foreignAddress =
  'Without tokens this coordinator serves its own machine only, through a proxy as well.';
const foreignHost =
  'This coordinator serves loopback only: the Host header must be localhost, 127.0.0.1 or [::1].';
