// What every request passes first, an upgrade to a socket too: who may ask, and the headers that
// every answer carries.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { isLoopbackHost } from './loopback.ts';
import { OriginCheck } from './origin.ts';
import { Refusal } from './refusal.ts';

/** A browser takes an answer for what it says it is, gives it to no page of elsewhere, and names it to nobody. */
export const answerHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;

export function setAnswerHeaders(reply: FastifyReply): void {
  reply.headers(answerHeaders);
}

/** Before any other hook that answers. */
export function guard(app: FastifyInstance, allowedOrigins: readonly string[]): void {
  const origins = new OriginCheck(allowedOrigins);
  app.addHook('onRequest', (request, reply, done) => {
    setAnswerHeaders(reply);
    const { host, origin } = request.raw.headers;
    if (!isLoopbackHost(host)) return done(new Refusal('forbidden', foreignHost));
    const reason = origin === undefined ? null : origins.refusal(origin, host);
    if (reason === null) done();
    else done(new Refusal('forbidden', reason));
  });
}

const foreignHost =
  'This coordinator serves loopback only: the Host header must be localhost, 127.0.0.1 or [::1].';
