// What a member answers itself though another one leads: what the store alone tells, to who is known here. A request
// goes through the same hooks and the same route as at the leader. Whatever turns out not to be told here (a job that is
// open, or not there) has not happened, and is passed on like any other; so is who is not known here, since the leader
// counts and writes down whom it refuses, and so is what cannot be read from here.

import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { ClusterPort } from '../../cluster/port.ts';
import type { App } from '../app.ts';
import { isOfStop } from '../error-answers.ts';
import { Refusal } from '../refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The store alone may have all of the answer. */
    fromStore?: boolean;
  }
  interface FastifyRequest {
    /** It is answered here, though this member does not lead. */
    isFromStore: boolean;
  }
}

export interface OwnAnswersOptions {
  readonly cluster: Pick<ClusterPort, 'role'>;
  /** Whether the request shows who asks, and that one may. Rejects when that cannot be read. */
  readonly knows: (request: FastifyRequest) => Promise<boolean>;
  /** True when this member leads by now. */
  readonly passOn: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>;
  readonly onAnswered: () => void;
}

type Handler = RouteOptions['handler'];

export class OwnAnswers {
  readonly #options: OwnAnswersOptions;

  constructor(options: OwnAnswersOptions) {
    this.#options = options;
  }

  /** Call before the routes are added. */
  attach(app: App): void {
    app.decorateRequest('isFromStore', false);
    app.addHook('onRoute', (route) => {
      if (route.config?.fromStore === true) route.handler = this.#orPassed(route.handler);
    });
  }

  /** Whether the request goes on here. */
  async takes(request: FastifyRequest): Promise<boolean> {
    const { cluster, knows } = this.#options;
    if (request.routeOptions.config.fromStore !== true || cluster.role === 'leaving') return false;
    // Without the database nobody is known here; the leader may know more.
    request.isFromStore = await knows(request).catch(() => false);
    return request.isFromStore;
  }

  #orPassed(handler: Handler): Handler {
    const { passOn, onAnswered } = this.#options;
    return async function (this, request, reply) {
      if (!request.isFromStore) return handler.call(this, request, reply);
      try {
        const answer: unknown = await handler.call(this, request, reply);
        onAnswered();
        return answer;
      } catch (error) {
        if (!isLeft(error) || reply.raw.headersSent) throw error;
      }
      request.isFromStore = false;
      return (await passOn(request, reply)) ? handler.call(this, request, reply) : reply;
    };
  }
}

/** It is not told here, cannot be read from here, or is too much here; nothing has happened. */
function isLeft(error: unknown): boolean {
  // What a token has open at the leader is for the leader to count, and a refusal is for it to write down.
  if (error instanceof Refusal) return error.code === 'quota_exceeded';
  const { code } = error as NodeJS.ErrnoException;
  return isOfStop(error) || code === 'store_unreachable' || code === 'store_read_failed';
}
