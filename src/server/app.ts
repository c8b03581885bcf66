// The HTTP framework as it is used here: without body parsing, without serialisation by schema (the
// coordinator makes answers in wire shape), without a log line per request, and with one shape of error.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  fastify,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import type { Callers } from './callers.ts';
import { answerError, answerFrameworkError, answerParserError } from './error-answers.ts';
import { guard } from './gate.ts';
import { beginInOrder } from './pipelined-requests.ts';
import { type CurrentCredentials, openDoor, optionsOf, usualHandshakeMs } from './tls/door.ts';
import type { ServedHosts } from './served-hosts.ts';
import { validatorCompiler } from './validation.ts';
import { answerUnknownPaths } from './wrong-method.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

declare module 'fastify' {
  interface FastifyInstance {
    readonly isOfCluster: boolean;
  }
  interface FastifyContextConfig {
    /** The route reads the request body itself; every other route ignores it. */
    readsBody?: boolean;
  }
}

const headersTimeoutMs = 60_000;
/** Room for very long ids, so that they get "not found" from the route, not "bad request". */
const maxHeaderBytes = 64 * 1024;
export const socketPath = '/api/workers/connect';
export const clusterPath = '/api/cluster';

export interface AppOptions {
  readonly log: Logger;
  readonly allowedOrigins: readonly string[];
  readonly callers: Callers;
  readonly served: ServedHosts;
  /** Absent: plain HTTP is spoken. */
  readonly credentials: CurrentCredentials | undefined;
  /** Time that connections in a handshake have when the server closes. */
  readonly closeMs: number;
  /** Whether a connection may begin its handshake. */
  readonly mayBegin?: (socket: Socket) => boolean;
  /** Whether nobody has shown a good token on it, where one is needed: then few requests may wait. By default not. */
  readonly isStranger?: (socket: Socket) => boolean;
  /** How long a handshake may take; for tests. */
  readonly handshakeMs?: number;
  /** Where sockets begin beside those of workers. */
  readonly otherSockets?: readonly string[];
  /** Another coordinator may take over: a commit that was not allowed says so. */
  readonly isOfCluster?: boolean;
}

export function createApp(options: AppOptions): App {
  const { log, callers, credentials, handshakeMs = usualHandshakeMs } = options;
  const sockets = new Set<string | undefined>([socketPath, ...(options.otherSockets ?? [])]);
  // The framework's type for loggers has less than pino's.
  const loggerInstance: FastifyBaseLogger = log;
  const http = {
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: headersTimeoutMs,
    requireHostHeader: false,
    noDelay: true,
    // Some clients offer `Upgrade: h2c` with every request: that is an ordinary request here.
    shouldUpgradeCallback: ({ url, headers }: IncomingMessage) =>
      headers.upgrade?.toLowerCase() === 'websocket' && sockets.has(url?.split('?', 1)[0]),
  };
  const transport =
    credentials === undefined
      ? { http }
      : {
          https: {
            ...http,
            ...optionsOf(credentials.current),
            handshakeTimeout: handshakeMs,
          },
        };
  const app = fastify({
    ...(transport as { http: typeof http }),
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (logger) => logger,
    // Uploads and streams may take hours; `request-body.ts` notices a silent sender.
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: maxHeaderBytes },
    // It would load its own, a compiler of JSON Schemas, at each start. Those set below take their place.
    schemaController: { compilersFactory: { buildValidator: notAsked, buildSerializer: notAsked } },
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerParserError,
  }).withTypeProvider<ZodTypeProvider>();
  app.decorate('isOfCluster', options.isOfCluster ?? false);
  if (credentials !== undefined) openDoor(app, credentials, { ...options, handshakeMs });
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
  app.setErrorHandler(answerError);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined));
  // An unknown `Expect` header is no reason to refuse a request.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  beginInOrder(app, options.isStranger ?? (() => false));
  guard(app, options);
  app.addHook('onRequest', (request, _reply, done) => {
    // A route that reads no body ignores its content type too.
    if (request.routeOptions.config.readsBody !== true) delete request.raw.headers['content-type'];
    done();
  });
  if (log.isLevelEnabled('debug')) logRequests(app, callers);
  answerUnknownPaths(app);
  return app;
}

function notAsked(): never {
  throw new Error('Every part of the server has the compilers that are set at its beginning.');
}

function logRequests(app: App, callers: Callers): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, url } = request;
    const from = callers.of(request.raw).address;
    const told = { method, url, from, status: reply.statusCode, ms: reply.elapsedTime };
    request.log.debug(told, 'request');
    done();
  });
}
