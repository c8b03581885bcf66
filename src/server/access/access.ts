// Who asks, and whether they may. One hook decides it for every request, upgrades to sockets included, before
// a byte of a body is read. While there are no tokens everybody on this machine is the admin, and nothing here
// is noticed.

import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Coordinator, CoordinatorPorts } from '../../coordinator/port/coordinator.ts';
import { anybody, type Principal } from '../../coordinator/port/principal.ts';
import type { Bearer, Checked } from '../../coordinator/port/tokens.ts';
import { type App, socketPath } from '../app.ts';
import type { Caller, Callers } from '../callers.ts';
import { isOfStop } from '../error-answers.ts';
import { isLoopbackAddress } from '../loopback.ts';
import { canonicalOrigin } from '../origin.ts';
import { BadToken, Refusal } from '../refusal.ts';
import { BrowserPasses } from './browser-passes.ts';
import { LiveHolders } from './live-holders.ts';
import { TokenQuotas } from './quota.ts';
import { type AccessClass, whyNot } from './roles.ts';
import type { StrangerLimit, StrangerLimits } from './stranger-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who has shown a good token; null where nobody needs one. */
    bearer: Bearer | null;
  }
  interface FastifyContextConfig {
    access?: AccessClass;
    /** As what a request without a good token counts, or a registration; `strangerRequests` by default. */
    countsAs?: StrangerLimit | 'nothing';
  }
}

export interface AccessOptions {
  readonly coordinator: Coordinator;
  /** Nobody needs a token, whoever can reach the coordinator. */
  readonly isOpen: boolean;
  readonly callers: Callers;
  readonly strangers: StrangerLimits;
  /** Milliseconds since the epoch by the clock by which tokens expire; by default that of this machine. */
  readonly tokenNow?: () => number;
}

const bearerForm = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;
const ticketForm = /(?:^|,) *ticket\.([A-Za-z0-9_-]{1,64}) *(?:,|$)/;
/** What other hosts and plain HTTP can set is not looked at under TLS: it could be somebody else's session. */
const cookieForms = {
  http: /(?:^|; *)muster_session=([A-Za-z0-9_-]{1,64})(?:;|$)/,
  https: /(?:^|; *)__Host-muster_session=([A-Za-z0-9_-]{1,64})(?:;|$)/,
};

export const noToken =
  'This coordinator asks for a token: send it in the header "Authorization: Bearer <token>". Whoever runs ' +
  'the coordinator makes one with `muster token create`.';

/** A worker of an older version shows its token in its first message, which comes too late. */
const noTokenOfSocket =
  `${noToken} A worker that has joined shows its own; one that is older than tokens does not: bring its program ` +
  'up to date, it stays the same worker.';

const foreignAddress =
  'Without tokens this coordinator serves its own machine only, through a proxy as well.';
const readableOnTheWay =
  'Over plain HTTP others on the way could read tokens: use the same address with https:// in front, or the proxy.';

const whyUnauthorized: Readonly<Record<Exclude<Checked['is'], 'good'>, string>> = {
  unknown: 'The token is not one of this coordinator, or was not copied as a whole.',
  revoked: 'The token was revoked; ask whoever runs the coordinator for another one.',
  expired: 'The token has expired; ask whoever runs the coordinator for another one.',
  used_up: 'The token has been used as often as it may be; ask for another one.',
};

export class Access {
  readonly passes = new BrowserPasses();
  readonly live: LiveHolders;
  readonly quotas = new TokenQuotas();
  readonly options: AccessOptions;
  /** Nobody from elsewhere can reach the coordinator. */
  private isLoopbackOnly = true;
  /** As the coordinator last said it; it cannot be asked while another takes its place. */
  private wereNeeded = false;
  private watched: Coordinator['tokens'] | undefined;

  constructor(options: AccessOptions) {
    this.options = options;
    this.live = new LiveHolders(options.tokenNow);
  }

  /** Call before it listens elsewhere than on this machine. */
  listensBeyondLoopback(): void {
    this.isLoopbackOnly = false;
  }

  /** Nobody is served without a token. */
  get isNeeded(): boolean {
    const { isOpen } = this.options;
    // Without a token nobody from elsewhere is let in, even when the last one was just revoked.
    return !isOpen && (this.areThere() || !this.isLoopbackOnly);
  }

  /** Scripts cannot read it, and pages of other sites do not make a browser send it. */
  cookie(request: FastifyRequest, value: string, seconds: number): string {
    const isSecure = this.callerOf(request).scheme === 'https';
    const name = isSecure ? '__Host-muster_session' : 'muster_session';
    const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
    return `${name}=${value}; ${flags}${isSecure ? '; Secure' : ''}`;
  }

  /** The bearer of this token. Throws a `Refusal`. */
  async bearerOf(token: string): Promise<Bearer> {
    const checked = await this.options.coordinator.tokens.check(token);
    if (checked.is === 'good') return checked.bearer;
    throw new BadToken(
      whyUnauthorized[checked.is],
      checked.is === 'unknown' ? null : checked.tokenId,
    );
  }

  /** The bearer of a token that somebody logs in with. Throws a `Refusal`. */
  async bearerOfLogin(token: string, request: FastifyRequest): Promise<Bearer> {
    return this.bearerOf(token).catch((error: unknown) => this.turnAway(request, error, true));
  }

  /**
   * Whose socket it is that another member of the cluster has let in; null where nobody needs a token. Throws a
   * `Refusal`.
   */
  async bearerOfSocket(token: string | null, address: string | null): Promise<Bearer | null> {
    if (!this.isNeeded) {
      const isHere = address === null || isLoopbackAddress(address);
      if (!isHere && !this.options.isOpen) throw new Refusal('forbidden', foreignAddress);
      return null;
    }
    if (token === null) throw new Refusal('unauthorized', noTokenOfSocket);
    const bearer = await this.bearerOf(token);
    const reason = whyNot('join', bearer.principal.role);
    if (reason !== null) throw new Refusal('forbidden', reason);
    return bearer;
  }

  /** Whether a socket would be let in, as far as is known at this member. */
  async knowsSocket({ headers }: FastifyRequest): Promise<boolean> {
    if (!this.isNeeded) return true;
    const [, token] = bearerForm.exec(headers.authorization ?? '') ?? [];
    if (token === undefined) return false;
    const checked = await this.options.coordinator.tokens.check(token);
    return checked.is === 'good' && whyNot('join', checked.bearer.principal.role) === null;
  }

  /** The value of the session cookie, whether it is good or not. */
  sessionOf(request: FastifyRequest): string | undefined {
    const form = cookieForms[this.callerOf(request).scheme];
    return form.exec(request.headers.cookie ?? '')?.[1];
  }

  attach(app: App): void {
    app.decorateRequest('bearer', null);
    requireClasses(app);
    this.options.strangers.attach(app);
    app.addHook('onRequest', (request, reply, done) => {
      const { access } = request.routeOptions.config;
      if (access === undefined) return done();
      this.admit(request, reply, access, done);
    });
    app.addHook('onClose', async () => this.live.close());
  }

  /** Calls at once where nothing has to be looked up. */
  private admit(
    request: FastifyRequest,
    reply: FastifyReply,
    access: AccessClass,
    goOn: (refused?: Error) => void,
  ): void {
    let deciding: Promise<void> | undefined;
    try {
      deciding = this.deciding(request, access);
      if (deciding === undefined) this.hold(request, reply, access);
    } catch (error) {
      return goOn(error as Error);
    }
    if (deciding === undefined) return goOn();
    deciding.then(() => this.hold(request, reply, access)).then(() => goOn(), goOn);
  }

  /** Undefined where everybody may. Throws a `Refusal`, or rejects with one. */
  private deciding(request: FastifyRequest, access: AccessClass): Promise<void> | undefined {
    this.refuseReadable(request);
    if (this.isNeeded) return this.decide(request, access);
    if (access !== 'blobs' || request.method !== 'PUT') return undefined;
    return this.recogniseWorker(request);
  }

  /**
   * Without tokens only this machine is served, through a proxy as well; with tokens nobody whose token others
   * on the way could read.
   */
  private refuseReadable(request: FastifyRequest): void {
    if (this.options.isOpen) return;
    const { address, scheme } = this.callerOf(request);
    if (address === '' || isLoopbackAddress(address)) return;
    if (!this.isNeeded) throw new Refusal('forbidden', foreignAddress);
    if (scheme === 'http') throw new Refusal('forbidden', readableOnTheWay);
  }

  /**
   * Whether it would be let in here as somebody who is known, without counting or telling anything. Who is not may be
   * known elsewhere: by a session, by what a worker has.
   */
  async knows(request: FastifyRequest): Promise<boolean> {
    const { access, countsAs: counted } = request.routeOptions.config;
    if (access === undefined || access === 'anybody' || counted !== undefined) return false;
    try {
      this.refuseReadable(request);
      if (!this.isNeeded) return true;
      const bearer = await this.who(request);
      const { role } = bearer.principal;
      return role !== 'worker' && whyNot(access, role) === null && this.quotas.hasRequest(bearer);
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  private callerOf(request: FastifyRequest): Caller {
    return this.options.callers.of(request.raw);
  }

  private async decide(request: FastifyRequest, access: AccessClass): Promise<void> {
    if (access === 'anybody') return this.recognise(request);
    const bearer = await this.who(request).catch((error: unknown) =>
      this.turnAway(request, error, this.hasShown(request)),
    );
    // Also of who may not: the audit log tells who that was.
    request.bearer = bearer;
    this.quotas.takeRequest(bearer);
    const reason = whyNot(access, bearer.principal.role);
    if (reason !== null) throw new Refusal('forbidden', reason);
    const isNewWorker = bearer.workerId === null && countsAs(request) === 'registrations';
    if (isNewWorker) await this.options.strangers.count('registrations', request);
    if (access === 'blobs') this.refuseWaiting(bearer);
    if (isSocket(request)) this.quotas.holdSocket(request, bearer);
  }

  /** A worker that nobody has let in reads and stores nothing. */
  private refuseWaiting({ workerId }: Bearer): void {
    if (workerId === null || !this.options.coordinator.workers.isWaiting(workerId)) return;
    throw new Refusal('forbidden', 'This worker waits for a person to let it in.');
  }

  /** Who asks for what anybody may have is told more with a good token. */
  private async recognise(request: FastifyRequest): Promise<void> {
    const [, token] = bearerForm.exec(request.headers.authorization ?? '') ?? [];
    if (token !== undefined) {
      request.bearer = await this.bearerOf(token).catch(() => null);
      if (request.bearer === null) await this.options.strangers.count('wrongTokens', request);
    }
    const session = this.sessionOf(request);
    const isLoggedIn = session !== undefined && this.passes.findSession(session) !== undefined;
    const limit = countsAs(request);
    if (limit === 'nothing') return;
    if (request.bearer !== null) return this.quotas.takeRequest(request.bearer);
    if (!isLoggedIn || limit === 'logins') await this.options.strangers.count(limit, request);
  }

  /** Counts who has shown no good token. Throws why, or that it was too often. */
  private async turnAway(
    request: FastifyRequest,
    error: unknown,
    hasShown: boolean,
  ): Promise<never> {
    const isStranger = error instanceof Refusal && error.code === 'unauthorized';
    if (isStranger && this.isNeeded) {
      await this.options.strangers.count(hasShown ? 'wrongTokens' : 'strangerRequests', request);
    }
    throw error;
  }

  /** Something that could be a token, or stand for one. */
  private hasShown(request: FastifyRequest): boolean {
    const { authorization, 'sec-websocket-protocol': protocol } = request.headers;
    if (authorization !== undefined) return true;
    return isSocket(request)
      ? ticketForm.test(protocol ?? '')
      : this.sessionOf(request) !== undefined;
  }

  /**
   * What a worker sends belongs to its attempts, also where nobody needs a token: the results of jobs that have an
   * owner may refer to that alone.
   */
  private async recogniseWorker(request: FastifyRequest): Promise<void> {
    const [, token] = bearerForm.exec(request.headers.authorization ?? '') ?? [];
    if (token === undefined) return;
    const bearer = await this.bearerOf(token).catch(() => null);
    if (bearer?.principal.role === 'worker') request.bearer = bearer;
  }

  private async who(request: FastifyRequest): Promise<Bearer> {
    const { authorization } = request.headers;
    if (authorization !== undefined) {
      const [, token] = bearerForm.exec(authorization) ?? [];
      if (token === undefined) throw new Refusal('unauthorized', noToken);
      return this.bearerOf(token);
    }
    if (isSocket(request)) {
      const [, ticket] = ticketForm.exec(request.headers['sec-websocket-protocol'] ?? '') ?? [];
      const token = ticket === undefined ? undefined : this.passes.useTicket(ticket);
      if (token === undefined) throw new Refusal('unauthorized', noTokenOfSocket);
      return this.bearerOf(token);
    }
    const session = this.sessionOf(request);
    const token = session === undefined ? undefined : this.passes.findSession(session);
    if (token === undefined) throw new Refusal('unauthorized', noToken);
    this.refuseForeignWrite(request);
    return this.bearerOf(token);
  }

  /** A browser sends the cookie whoever made it ask; where the question came from, it says in `Origin`. */
  private refuseForeignWrite(request: FastifyRequest): void {
    const { method, headers } = request;
    if (method === 'GET' || method === 'HEAD') return;
    const { scheme, host = '' } = this.callerOf(request);
    const own = canonicalOrigin(`${scheme}://${host}`);
    if (own !== null && canonicalOrigin(headers.origin ?? '') === own) return;
    throw new Refusal('forbidden', 'With a session, changes are made from pages of this address.');
  }

  private hold(request: FastifyRequest, reply: FastifyReply, access: AccessClass): void {
    // A socket holds itself.
    if (access === 'anybody' || isSocket(request)) return;
    // What makes and revokes tokens answers whoever has just lost theirs, but not a body that goes on after that.
    const isAnswered = () => access === 'admin' && request.raw.complete;
    const end = () => {
      if (!isAnswered()) request.raw.socket.destroy();
    };
    const releases = [this.live.hold(request.bearer, end)];
    const session = this.isBySession(request) ? this.sessionOf(request) : undefined;
    const until = session === undefined ? undefined : this.passes.endOfSession(session);
    if (session !== undefined && until !== undefined) {
      releases.push(this.live.holdForSession(session, until, end));
    }
    reply.raw.once('close', () => {
      for (const release of releases) release();
    });
  }

  private isBySession({ bearer, headers }: FastifyRequest): boolean {
    return bearer !== null && headers.authorization === undefined;
  }

  /** Logs a browser out: what it has open, in other tabs too, ends with its session. */
  endSession(value: string): void {
    this.passes.endSession(value);
    this.live.endOfSession(value);
  }

  private areThere(): boolean {
    try {
      const { tokens } = this.options.coordinator;
      this.watch(tokens);
      this.wereNeeded = tokens.areNeeded;
    } catch (error) {
      if (!isOfStop(error)) throw error;
    }
    return this.wereNeeded;
  }

  /** Another coordinator may have taken the place of the one before. */
  private watch(tokens: Coordinator['tokens']): void {
    if (this.watched === tokens) return;
    this.watched = tokens;
    tokens.onChange((change) => {
      if (change.what === 'revoked') this.live.endOf(change.tokenId);
      else if (!this.options.isOpen) this.live.endNameless();
    });
  }
}

/** Whether the request becomes a socket: any other may offer an upgrade too, and is answered as it is. */
function isSocket({ routeOptions, headers }: FastifyRequest): boolean {
  return routeOptions.url === socketPath && headers.upgrade?.toLowerCase() === 'websocket';
}

function countsAs({ routeOptions }: FastifyRequest): StrangerLimit | 'nothing' {
  return routeOptions.config.countsAs ?? 'strangerRequests';
}

export function principalOf({ bearer }: FastifyRequest): Principal {
  return bearer?.principal ?? anybody;
}

/** The server does not start with a route of which nobody has said who may call it. */
function requireClasses(app: App): void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => void routes.push(route));
  app.addHook('onReady', async () => {
    const missing = routes
      .filter(({ config }) => config?.access === undefined)
      .map(({ method, url }) => `${[method].flat().join('|')} ${url}`);
    if (missing.length === 0) return;
    throw new Error(`These routes do not say who may call them: ${missing.join(', ')}`);
  });
}

/** The ports of the coordinator as they are for whoever asks. */
export function portsOf(coordinator: Coordinator, request: FastifyRequest): CoordinatorPorts {
  return coordinator.for(principalOf(request));
}
