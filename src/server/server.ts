// The HTTP server in front of a coordinator. It knows HTTP and sockets, and nothing of scheduling.

import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import type { ClusterPort } from '../cluster/port.ts';
import { trunkPath } from '../cluster/trunk.ts';
import { withPin } from '../transport/index.ts';
import type { Coordinator, CoordinatorCondition } from '../coordinator/port/coordinator.ts';
import type { DiskRoom } from '../coordinator/port/disk-room.ts';
import type { Limits } from '../protocol/limits.ts';
import type { StoreHealth } from '../protocol/resources.ts';
import { Access } from './access/access.ts';
import { Audit, type AuditUse } from './access/audit.ts';
import { StrangerLimits } from './access/stranger-limits.ts';
import { TokenWatch } from './access/token-watch.ts';
import { AnswerStart } from './answer-start.ts';
import { type App, clusterPath, createApp } from './app.ts';
import { Callers } from './callers.ts';
import type { MemberStage } from './cluster/gateway.ts';
import { joinCluster } from './cluster/join-cluster.ts';
import { limitConnections } from './connection-limit.ts';
import { addressAccount, Connections } from './connections.ts';
import { InFlight } from './in-flight.ts';
import type { Door } from './join-address.ts';
import { isLoopbackAddress } from './loopback.ts';
import { MemberProof } from './member-proof.ts';
import { ServedHosts } from './served-hosts.ts';
import { Metrics } from './metrics.ts';
import { OpenAnswers } from './open-answers.ts';
import { SharedAnswers } from './shared-answers.ts';
import {
  keepRoom,
  type PressureLimits,
  refuseUnderPressure,
  refuseWhenCrowded,
} from './pressure.ts';
import { Refusal } from './refusal.ts';
import { addAuditRoutes } from './routes/audit.ts';
import { addBlobRoutes } from './routes/blobs.ts';
import { addClusterRoute } from './routes/cluster.ts';
import { addDocumentation } from './routes/documentation.ts';
import { addEvaluationRoutes } from './routes/evaluation.ts';
import { addEventRoutes } from './routes/events.ts';
import { addJobRoutes } from './routes/jobs.ts';
import { addJoinRoutes } from './routes/join.ts';
import { addMetricsRoute, measureRequests } from './routes/metrics.ts';
import { addNotificationRoutes } from './routes/notifications.ts';
import { addQuotaRoute } from './routes/quota.ts';
import { addRecoveryRoutes } from './routes/recovery.ts';
import { addResultRoutes } from './routes/results.ts';
import type { RouteContext } from './routes/route-context.ts';
import { addSchedulerRoutes } from './routes/scheduler.ts';
import { addSessionRoutes } from './routes/session.ts';
import { addPlainPages, mendMangledLinks } from './routes/plain-pages.ts';
import { addSystemRoutes } from './routes/system.ts';
import { addDebuggingRoutes } from './routes/debugging.ts';
import { addJobTaskRoutes } from './routes/job-tasks.ts';
import { addTaskRoutes } from './routes/tasks.ts';
import { addTokenRoutes } from './routes/tokens.ts';
import { addWorkerCallRoutes } from './routes/worker-calls.ts';
import { addBuiltPages, type ServedPages } from './routes/built-pages.ts';
import { addWorkerRoutes } from './routes/workers.ts';
import { cutStalledReaders, stalledMs } from './stalled-readers.ts';
import { StrangerConnections } from './stranger-connections.ts';
import type { CurrentCredentials } from './tls/door.ts';
import { HandshakeRate } from './tls/handshake-rate.ts';
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
  /** Absent: there is always room on the disk. */
  readonly disk?: DiskRoom;
  /** One that hears of events and commits; absent: `/metrics` tells nothing of them. */
  readonly metrics?: Metrics;
  /** Nobody needs a token, whoever can reach the coordinator. */
  readonly isOpen?: boolean;
  /** Whether what is done is written down, and by whom; by default where tokens are needed, and with `isOpen`. */
  readonly audit?: AuditUse;
  /** What browsers work with; absent: there is nothing at their addresses. */
  readonly pages?: ServedPages;
  /** What people call it; told to those who are about to join. */
  readonly coordinatorName?: string;
  /** A reader that takes nothing of its answer for so long is cut off; a minute by default. */
  readonly stalledMs?: number;
  /** The same for one piece of an answer while others wait for memory; 5 s by default. */
  readonly behindMs?: number;
  /** The cluster of which this process is a member: while another member leads, requests are passed on to that one. */
  readonly cluster?: ClusterPort;
  /** Where this process puts bytes while another one leads; absent: it passes them on as they come. */
  readonly stage?: MemberStage;
  /** How long requests wait for a leader; 5 s by default. */
  readonly holdMs?: number;
  /** Share of the time in which the event loop was at work, since it was asked before; measured by default. */
  readonly busyShare?: () => number;
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
  /** Sockets of workers that are at this member, whoever serves them. */
  readonly workerSockets: number;
  /** Ids of the other members of the cluster whose trunks are open here. */
  readonly trunks: readonly string[];
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
  const { cluster } = options;
  const proof = cluster && new MemberProof(() => cluster.secret);
  const callers = new Callers(options.behindProxy, proof);
  const connections = new Connections(limits.connectionsPerToken, callers);
  const inFlight = new InFlight(limits.inFlightBytes);
  const start = new AnswerStart();
  const openAnswers = new OpenAnswers({
    mostBytes: limits.answerBytes,
    connections,
    start,
    closing: closing.signal,
    behindMs: options.behindMs,
  });
  const sharedAnswers = new SharedAnswers(openAnswers, limits.answerBytes);
  const { storeHealth = () => undefined, metrics = new Metrics({ version }) } = options;
  const { webhooks = createAddressRules() } = options;
  const { isOpen = false, credentials, disk } = options;
  const scheme = credentials === undefined ? 'http' : 'https';
  // A proxy that is named speaks TLS with its clients; who comes past it is refused (`Access`).
  const isSecure = credentials !== undefined || (options.behindProxy ?? []).length > 0;
  const limited = new StrangerLimits(limits, connections);
  const access = new Access({
    coordinator,
    isOpen,
    callers,
    strangers: limited,
    ...(cluster === undefined ? {} : { tokenNow: () => cluster.databaseNow }),
  });
  const strangers = new StrangerConnections({
    most: limits.strangerConnections,
    isCounted: () => access.isNeeded,
    callers,
    onCut: () => metrics.countRefusal('stranger_connections'),
  });
  const handshakes = new HandshakeRate(limits.tlsHandshakes);
  const served = new ServedHosts(isOpen, () => access.isNeeded);
  const audit = new Audit({ coordinator, access, callers, use: options.audit ?? 'auto' });
  const answering = { openAnswers, sharedAnswers };
  const parts = { access, audit, connections, ...answering, inFlight, metrics, webhooks };
  const own = { limits, log, storeHealth, disk, version, ...parts };
  // The framework tells of its own at this level where it listens, which is for whoever has asked it to.
  const frameworkLog = log.level === 'info' ? log.child({}, { level: 'warn' }) : log;
  const app = createApp({
    log: frameworkLog,
    allowedOrigins,
    callers,
    served,
    credentials,
    closeMs,
    isOfCluster: cluster !== undefined,
    otherSockets: cluster === undefined ? [] : [trunkPath],
    mayBegin: ({ remoteAddress }) => {
      if (!access.isNeeded || callers.isProxy(remoteAddress)) return true;
      // The workers of another member come by its address.
      if (callers.isMemberAddress(remoteAddress)) return true;
      const may = handshakes.take(addressAccount(remoteAddress));
      if (!may) metrics.countRefusal('tls_handshakes');
      return may;
    },
    isStranger: (socket) => strangers.has(socket),
  });
  const isOverloaded = () =>
    coordinator.isCrowded || (pressure !== undefined && app.isUnderPressure());
  const door = () => ({
    address: addressOf(app, scheme),
    credentials: credentials?.current,
    isBehindProxy: (options.behindProxy ?? []).length > 0,
  });
  const context: RouteContext = {
    coordinator,
    ...own,
    callers,
    door,
    isOverloaded,
    coordinatorName: options.coordinatorName ?? null,
    closing: closing.signal,
    cluster,
    workerSockets: () => ownSockets.count + (membership?.workerSockets ?? 0),
  };
  const joined = () => {
    if (cluster === undefined || proof === undefined) return null;
    metrics.watchCluster(cluster);
    const here = () => placeOf(door());
    const tokenWatch = new TokenWatch({
      live: access.live,
      isUntold: () => cluster.role !== 'leading',
      check: (token) => coordinator.tokens.check(token),
      isNeeded: () => access.isNeeded,
    });
    app.addHook('onClose', async () => tokenWatch.close());
    const about = { cluster, proof, version, here, closing: closing.signal };
    const { holdMs, busyShare, stage } = options;
    const knows = access.knows.bind(access);
    const deciding = { coordinator, access, audit, limits, log };
    const asking = { callers, inFlight, start, strangers, metrics };
    return joinCluster(app, { ...about, ...deciding, ...asking, knows, holdMs, busyShare, stage });
  };
  measureRequests(app, context);
  inFlight.attach(start);
  openAnswers.attach(app);
  cutStalledReaders(start, options.stalledMs ?? stalledMs, callers);
  start.attach(app);
  limitConnections(app, limits.connections);
  const membership = joined();
  refuseWhenStopping(app, coordinator, {
    cluster,
    carries: (raw) => membership?.carries(raw) ?? false,
  });
  strangers.attach(app);
  access.attach(app);
  refuseWhenCrowded(app, coordinator);
  if (disk !== undefined) keepRoom(app, disk);
  if (pressure !== undefined) refuseUnderPressure(app, pressure);
  audit.attach(app);
  addDocumentation(app, version, limits);
  const ownSockets = addWorkerSocket(app, context);
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
    addTokenRoutes(scope, context);
    addAuditRoutes(scope, context);
    addQuotaRoute(scope, context);
    addJoinRoutes(scope, context);
    addSessionRoutes(scope, context);
    addMetricsRoute(scope, context);
    addClusterRoute(scope, context);
    addPlainPages(scope);
    mendMangledLinks(scope);
    addBuiltPages(scope, options.pages ?? null, callers);
  });
  return {
    app,
    listen: async (where) => {
      if (!isLoopbackAddress(where.host)) {
        // A member without a coordinator passes everything on to one that has looked at its tokens.
        const isDecided = cluster !== undefined && coordinator.health === 'starting';
        refuseUnsafe(where.host, coordinator, { isOpen, isSecure, isDecided });
        access.listensBeyondLoopback();
        served.add(where.host);
      }
      return listen(app, scheme, where);
    },
    get address() {
      return addressOf(app, scheme);
    },
    get isOverloaded() {
      return isOverloaded();
    },
    get workerSockets() {
      return context.workerSockets();
    },
    get trunks() {
      return membership?.trunks ?? [];
    },
    close: () => close(app, closing),
  };
}

/** What comes while the coordinator stops, or while there is none, is not begun; what was begun is ended. */
function refuseWhenStopping(
  app: App,
  coordinator: CoordinatorCondition,
  {
    cluster,
    carries,
  }: {
    readonly cluster: ClusterPort | undefined;
    readonly carries: (message: IncomingMessage) => boolean;
  },
): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { health } = coordinator;
    if (health === 'ready' || !request.url.startsWith('/api/')) return done();
    if (request.isFromStore) return done();
    // The database knows who leads, also while nobody does.
    if (cluster !== undefined && request.routeOptions.url === clusterPath) return done();
    // Another member decides, and the trunk to that one is open.
    if (carries(request.raw)) return done();
    const doing = health === 'starting' ? 'is starting' : 'is stopping';
    done(new Refusal('shutting_down', `The coordinator ${doing}; try again in a moment.`));
  });
}

interface Safety {
  readonly isOpen: boolean;
  readonly isSecure: boolean;
  /** Somebody else decides who needs a token. */
  readonly isDecided: boolean;
}

/** Beyond this machine nobody is served without a token, and no token travels so that others can read it. */
function refuseUnsafe(
  host: string,
  coordinator: Coordinator,
  { isOpen, isSecure, isDecided }: Safety,
): void {
  if (isOpen) return;
  if (!isDecided && !coordinator.tokens.areNeeded) {
    const message =
      `Refused to listen on ${host}: without tokens the coordinator serves this machine only. Make one ` +
      'first (muster token create --kind admin), or use --host 127.0.0.1. With --open everybody who can ' +
      'reach this machine may do everything.';
    throw new ListenFault('not_loopback', message);
  }
  if (isSecure) return;
  const message =
    `Refused to listen on ${host}: over plain HTTP everybody on the way could read the tokens. ` +
    'Use --tls self-signed, or a certificate of your own (--tls-cert, --tls-key).';
  throw new ListenFault('not_secure', message);
}

type Scheme = 'http' | 'https';

async function listen(
  app: App,
  scheme: Scheme,
  where: { host: string; port: number },
): Promise<string> {
  const { host, port } = where;
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

/** How this process itself is reached, as members tell each other. */
function placeOf({ address, credentials }: Door): string | null {
  if (address === null) return null;
  const url = address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return credentials === undefined ? url : withPin(url, credentials.pin);
}

async function close(app: App, closing: AbortController): Promise<void> {
  closing.abort();
  const timer = setTimeout(() => app.server.closeAllConnections(), closeMs);
  timer.unref();
  await app.close();
  clearTimeout(timer);
}
