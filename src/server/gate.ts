// The gate that every request passes first, upgrades to sockets included: it checks who may ask, and sets
// the headers that every answer carries. For pages of the list it answers what their browsers ask first.

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Callers } from './callers.ts';
import { addVary, answerPreflight, isPreflight, letPageRead } from './cross-origin.ts';
import { OriginCheck } from './origin.ts';
import { Refusal } from './refusal.ts';
import type { ServedHosts } from './served-hosts.ts';

/**
 * The browser must not guess types, not give answers to pages of other origins, send no referrer, and give no page that
 * has opened one of these a hold on its window.
 */
export const answerHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

export function setAnswerHeaders(reply: FastifyReply): void {
  reply.headers(answerHeaders);
}

export interface Gate {
  readonly allowedOrigins: readonly string[];
  readonly callers: Callers;
  readonly served: ServedHosts;
}

/** Call before other hooks that answer are added. */
export function guard(app: FastifyInstance, { allowedOrigins, callers, served }: Gate): void {
  const origins = new OriginCheck(allowedOrigins);
  app.addHook('onRequest', (request, reply, done) => {
    setAnswerHeaders(reply);
    if (allowedOrigins.length > 0) addVary(reply, 'origin');
    const { origin } = request.raw.headers;
    const caller = callers.of(request.raw);
    const foreign = served.refusal(caller, request.raw.socket.localAddress);
    if (foreign !== null) return done(new Refusal('forbidden', foreign));
    const own = `${caller.scheme}://${caller.host ?? ''}`;
    const reason = origin === undefined ? null : origins.refusal(origin, own);
    if (reason !== null) return done(new Refusal('forbidden', reason));
    if (origin === undefined || !origins.isListed(origin)) return done();
    letPageRead(reply, origin);
    if (isPreflight(request.raw)) answerPreflight(request.raw, reply);
    else done();
  });
}
