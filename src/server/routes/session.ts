// What browsers have instead of a token: a session for pages, a ticket for a socket.

import type { FastifyReply } from 'fastify';
import {
  currentSessionSchema,
  sessionAskedSchema,
  sessionEndSchema,
  sessionSchema,
  ticketSchema,
} from '../../protocol/schemas/tokens.ts';
import { answers, bodyRefusals, json, refused } from '../answers.ts';
import type { App } from '../app.ts';
import { bodyRules } from '../reading-rules.ts';
import { Refusal } from '../refusal.ts';
import { readJsonBody } from '../request-body.ts';
import { validated } from '../validation.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['access'];

export function addSessionRoutes(
  app: App,
  { access, coordinator, limits, inFlight }: RouteContext,
): void {
  const reading = {
    limitBytes: limits.helloBytes,
    limitName: 'hello_bytes',
    rules: bodyRules(limits),
    inFlight,
  };

  app.post(
    '/api/session',
    {
      config: { access: 'anybody', countsAs: 'logins', readsBody: true, audit: 'session.begin' },
      schema: {
        tags,
        operationId: 'beginSession',
        summary: 'Log a browser in',
        description:
          'For the pages of the coordinator: the answer sets a cookie that no script can read. It is ' +
          'good for twelve hours, and not longer than the token.',
        body: sessionAskedSchema,
        response: {
          200: json(sessionSchema, 'The cookie is set'),
          ...refused(bodyRefusals),
        },
      },
    },
    async (request, reply) => {
      const { token } = validated(
        sessionAskedSchema,
        await readJsonBody(request, reading),
        'The body',
      );
      request.bearer = await access.bearerOfLogin(token.trim(), request);
      const { role, owner } = request.bearer.principal;
      if (role === 'worker' || role === 'join') throw new Refusal('forbidden', notForPages);
      const { value, seconds } = access.passes.beginSession(token.trim());
      setCookie(reply, access.cookie(request, value, seconds));
      // The browser has the new one instead, in all its tabs: what they have open goes on for whoever is here now.
      const before = access.sessionOf(request);
      if (before !== undefined) reply.raw.once('close', () => access.endSession(before));
      return { kind: role, owner, expires_in_seconds: seconds };
    },
  );

  app.get(
    '/api/session',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getSession',
        summary: 'Who asks',
        description:
          'By a token or by the session of a browser: what it may do and whose it is, so that a page shows ' +
          'nothing that would be refused.',
        response: answers(currentSessionSchema),
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store');
      const { isNeeded, options } = access;
      const how = { open: options.isOpen, needs_token: isNeeded };
      if (request.bearer === null)
        return { kind: 'admin', owner: null, label: null, ...how } as const;
      const { role, owner, tokenId } = request.bearer.principal;
      const label = (await coordinator.tokens.find(tokenId))?.label ?? null;
      return { kind: role, owner, label, ...how };
    },
  );

  app.delete(
    '/api/session',
    {
      config: { access: 'anybody', audit: 'session.end' },
      schema: {
        tags,
        operationId: 'endSession',
        summary: 'Log a browser out',
        description: 'The cookie is good no more. Without a session nothing happens.',
        response: answers(sessionEndSchema),
      },
    },
    async (request, reply) => {
      const value = access.sessionOf(request);
      const token = value === undefined ? undefined : access.passes.findSession(value);
      // Without a session nothing is done, and nothing is written down.
      if (token === undefined) request.asker = null;
      else request.bearer = await access.bearerOf(token).catch(() => null);
      if (value !== undefined) access.endSession(value);
      setCookie(reply, access.cookie(request, '', 0));
      return { status: 'ended' } as const;
    },
  );

  app.post(
    '/api/session/ticket',
    {
      config: { access: 'join', audit: 'session.ticket' },
      schema: {
        tags,
        operationId: 'makeTicket',
        summary: 'A ticket for the socket of a worker in a page',
        description:
          'A page cannot send a header with a socket: it names the ticket as a protocol of the socket ' +
          'instead. A ticket is good once, for a minute.',
        response: {
          200: json(ticketSchema, 'For the next socket'),
          ...refused(['validation_failed'], {
            validation_failed: new Refusal('validation_failed', noTicketNeeded),
          }),
        },
      },
    },
    async (request, reply) => {
      if (request.bearer === null) throw new Refusal('validation_failed', noTicketNeeded);
      const { value, seconds } = access.passes.makeTicket(request.bearer.text);
      reply.header('cache-control', 'no-store');
      return { ticket: value, expires_in_seconds: seconds };
    },
  );
}

const notForPages =
  'The pages need a token of the kind admin, client or viewer; this one is for a worker.';
const noTicketNeeded = 'Nobody needs a token here: open the socket without a ticket.';

function setCookie(reply: FastifyReply, cookie: string): void {
  reply.header('set-cookie', cookie).header('cache-control', 'no-store');
}
