// The HTTP server in front of a coordinator. It knows HTTP and sockets, and nothing of scheduling.

import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { Coordinator, CoordinatorCondition } from '../coordinator/port/coordinator.ts';
import type { Limits } from '../protocol/limits.ts';
import type { StoreHealth } from '../protocol/resources.ts';
import { type App, createApp } from './app.ts';
import { Callers } from './callers.ts';
import { limitConnections } from './connection-limit.ts';
import { Connections } from './connections.ts';
import { InFlight } from './in-flight.ts';
import { isLoopbackAddress } from './loopback.ts';
import { Metrics } from './metrics.ts';
import { OpenAnswers } from './open-answers.ts';
import { type PressureLimits, refuseUnderPressure, refuseWhenCrowded } from './pressure.ts';
import { Refusal } from './refusal.ts';
import { addBlobRoutes } from './routes/blobs.ts';
import { addDocumentation } from './routes/documentation.ts';
import { addEvaluationRoutes } from './routes/evaluation.ts';
import { addEventRoutes } from './routes/events.ts';
import { addJobRoutes } from './routes/jobs.ts';
import { addMetricsRoute, measureRequests } from './routes/metrics.ts';
import { addNotificationRoutes } from './routes/notifications.ts';
import { addRecoveryRoutes } from './routes/recovery.ts';
import { addResultRoutes } from './routes/results.ts';
import type { RouteContext } from './routes/route-context.ts';
import { addSchedulerRoutes } from './routes/scheduler.ts';
import { addStatusPage } from './routes/status-page.ts';
import { addSystemRoutes } from './routes/system.ts';
import { addDebuggingRoutes } from './routes/debugging.ts';
import { addJobTaskRoutes } from './routes/job-tasks.ts';
import { addTaskRoutes } from './routes/tasks.ts';
import { addWorkerCallRoutes } from './routes/worker-calls.ts';
import { addWorkerRoutes } from './routes/workers.ts';
import { cutStalledReaders, stalledMs } from './stalled-readers.ts';
import type { CurrentCredentials } from './tls/door.ts';
import { type AddressRules, createAddressRules } from './webhooks/address-rules.ts';
import { addWorkerSocket } from './workers/socket-route.ts';

/** Time that open requests have to end when the server closes. */
const closeMs = 3_000;
/**
 * Connections that may wait to be accepted, one in a turn of the event loop. The system of a client that
 * finds no room tries again a second later.
 */
const backlog = 4_096;

export interface ServerOptions {
  /** One that ends with the server, or a `CoordinatorInForce`. */
  readonly coordinator: Coordinator;
  readonly limits: Limits;
  readonly log: Logger;
  /** Other origins whose web pages are served, in canonical form (`https://example.org`). */
  readonly allowedOrigins?: readonly string[];
  /** With these TLS is spoken, and nothing else. */
  readonly credentials?: CurrentCredentials;
  /** Networks of proxies that are believed, each checked by `isNetwork`. */
  readonly behindProxy?: readonly string[];
  /** Result of the last check of the whole database; absent or undefined before the first. */
  readonly storeHealth?: () => StoreHealth | undefined;
  /** Version of the program, for the published document. */
  readonly version?: string;
  /** Where messages of the ends of jobs may go: by default to public addresses; null: none are sent. */
  readonly webhooks?: AddressRules | null;
  /** Absent: work is accepted under any pressure. */
  readonly pressure?: PressureLimits;
  /** One that hears of events and commits; absent: `/metrics` tells nothing of them. */
  readonly metrics?: Metrics;
  /** A reader that takes nothing of its answer for so long is cut off; a minute by default. */
  readonly stalledMs?: number;
  /** The same for one piece of an answer while others wait for memory; 5 s by default. */
  readonly behindMs?: number;
}

export interface Server {
  /** For requests without a socket (`app.inject`) in tests. */
  readonly app: App;
  /** Resolves with the address once requests are accepted; rejects with a `ListenFault`. */
  listen(where: { readonly host: string; readonly port: number }): Promise<string>;
  /** `http://127.0.0.1:8000`, with https under TLS; null while nothing listens. */
  readonly address: string | null;
  /** New work is refused at this moment. */
  readonly isOverloaded: boolean;
  /** Ends streams and sockets, waits a moment for what is being answered. */
  close(): Promise<void>;
}

/** The address cannot be listened on; the message says what to do. */
export class ListenFault extends Error {
  override readonly name = 'ListenFault';
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

export function createServer(options: ServerOptions): Server {
  const { coordinator, limits, log, allowedOrigins = [], version = '0.0.0', pressure } = options;
  const closing = new AbortController();
  const callers = new Callers(options.behindProxy);
  const connections = new Connections(limits.connectionsPerToken, callers);
  const inFlight = new InFlight(limits.inFlightBytes);
  const openAnswers = new OpenAnswers(limits.answerBytes, connections, options.behindMs);
  const { storeHealth = () => undefined, metrics = new Metrics({ version }) } = options;
  const { webhooks = createAddressRules() } = options;
  const parts = { connections, openAnswers, inFlight, metrics, webhooks };
  const own = { limits, log, storeHealth, version, ...parts };
  // The framework tells of its own at this level where it listens, which is for whoever has asked it to.
  const frameworkLog = log.level === 'info' ? log.child({}, { level: 'warn' }) : log;
  const { credentials } = options;
  const scheme = credentials === undefined ? 'http' : 'https';
  const app = createApp({ log: frameworkLog, allowedOrigins, callers, credentials, closeMs });
  const isOverloaded = () =>
    coordinator.isCrowded || (pressure !== undefined && app.isUnderPressure());
  const context: RouteContext = { coordinator, ...own, isOverloaded, closing: closing.signal };
  measureRequests(app, context);
  inFlight.attach(app);
  openAnswers.attach(app);
  cutStalledReaders(app, options.stalledMs ?? stalledMs, callers);
  limitConnections(app, limits.connections);
  refuseWhenStopping(app, coordinator);
  refuseWhenCrowded(app, coordinator);
  if (pressure !== undefined) refuseUnderPressure(app, pressure);
  addDocumentation(app, version, limits);
  addWorkerSocket(app, context);
  void app.register(async (routes) => {
    const scope = routes as unknown as App;
    addJobRoutes(scope, context);
    addJobTaskRoutes(scope, context);
    addTaskRoutes(scope, context);
    addDebuggingRoutes(scope, context);
    addNotificationRoutes(scope, context);
    addResultRoutes(scope, context);
    addEventRoutes(scope, context);
    addWorkerRoutes(scope, context);
    addWorkerCallRoutes(scope, context);
    addSchedulerRoutes(scope, context);
    addRecoveryRoutes(scope, context);
    addEvaluationRoutes(scope, context);
    addBlobRoutes(scope, context);
    addSystemRoutes(scope, context);
    addMetricsRoute(scope, context);
    addStatusPage(scope);
  });
  return {
    app,
    listen: (where) => listen(app, scheme, where),
    get address() {
      return addressOf(app, scheme);
    },
    get isOverloaded() {
      return isOverloaded();
    },
    close: () => close(app, closing),
  };
}

/** What comes while the coordinator stops, or while there is none, is not begun; what was begun is ended. */
function refuseWhenStopping(app: App, coordinator: CoordinatorCondition): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { health } = coordinator;
    if (health === 'ready' || !request.url.startsWith('/api/')) return done();
    const doing = health === 'starting' ? 'is starting' : 'is stopping';
    done(new Refusal('shutting_down', `The coordinator ${doing}; try again in a moment.`));
  });
}

type Scheme = 'http' | 'https';

async function listen(
  app: App,
  scheme: Scheme,
  where: { host: string; port: number },
): Promise<string> {
  const { host, port } = where;
  if (!isLoopbackAddress(host)) {
    const message =
      `Refused to listen on ${host}: without tokens the coordinator serves this machine only. ` +
      'Use --host 127.0.0.1.';
    throw new ListenFault('not_loopback', message);
  }
  try {
    await app.listen({
      host,
      port,
      backlog,
      listenTextResolver: (address) => `listening on ${address}`,
    });
  } catch (error) {
    throw listenFault(error, host, port);
  }
  return addressOf(app, scheme)!;
}

function listenFault(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const place = `port ${port} on ${host}`;
  if (code === 'EADDRINUSE') {
    const message = `${place} is taken by another program. Choose another port, or 0 for any free one.`;
    return new ListenFault(code, message[0]!.toUpperCase() + message.slice(1), error);
  }
  if (code === 'EACCES') {
    const message = `This user may not listen on ${place}. Choose a port above 1023.`;
    return new ListenFault(code, message, error);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new ListenFault(code, `This machine has no address ${host}.`, error);
  }
  return error;
}

function addressOf(app: App, scheme: Scheme): string | null {
  const address = app.server.address() as AddressInfo | null;
  if (address === null) return null;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${scheme}://${host}:${address.port}`;
}

async function close(app: App, closing: AbortController): Promise<void> {
  closing.abort();
  const timer = setTimeout(() => app.server.closeAllConnections(), closeMs);
  timer.unref();
  await app.close();
  clearTimeout(timer);
}
