// A member that does not lead passes what is under `/api/` on to the one that does, and its answers back. What
// it answers itself needs no coordinator: pages and documents, signs of life, its own metrics, its trunks, and what the
// store alone tells (`own-answers.ts`). Who may ask for all else, and how much, is decided by the leader, for the client
// whose request it was.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClusterPort, LeaderPlace } from '../../cluster/port.ts';
import { trunkPath } from '../../cluster/trunk.ts';
import type { BlobStage } from '../../coordinator/port/blobs.ts';
import type { InputStage } from '../../coordinator/port/jobs.ts';
import type { Limits } from '../../protocol/limits.ts';
import type { Access } from '../access/access.ts';
import type { AnswerStart } from '../answer-start.ts';
import { type App, clusterPath, socketPath } from '../app.ts';
import type { Callers } from '../callers.ts';
import { IdempotencyKey } from '../idempotency.ts';
import type { InFlight } from '../in-flight.ts';
import { knownHeader } from '../member-proof.ts';
import type { PassedOutcome } from '../cluster-metrics.ts';
import type { Metrics } from '../metrics.ts';
import { ClientGone, Refusal } from '../refusal.ts';
import { mediaType } from '../request-body.ts';
import type { StrangerConnections } from '../stranger-connections.ts';
import { stopping } from '../workers/close-frame.ts';
import { type BusyShare, TurningAway } from './turning-away.ts';
import { Holding, usualHoldMs } from './holding.ts';
import { LeaderLines } from './leader-lines.ts';
import { OwnAnswers, type OwnAnswersOptions } from './own-answers.ts';
import { headersOfUpgrade, headersToLeader } from './passed-headers.ts';
import { type Passed, PassedRequest } from './passed-request.ts';
import { relay } from './relayed-answer.ts';
import type { PassedBody } from './passed-body.ts';
import { SentBody } from './sent-body.ts';
import { isLong, StagedBody } from './staged-body.ts';
import { StagedJob } from './staged-job.ts';
import { Tunnel } from './tunnel.ts';
import type { Upgrading } from './upgrading.ts';

const another = 'another coordinator leads the cluster';
const loop =
  'This member of the cluster does not lead, and what another member passes on goes no further; nothing was done.';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The leader needs to see receipts of its body only: of its bytes, or of the lines of one that is a job in lines. */
    stagesBody?: 'bytes' | 'lines';
  }
}

/** Where a member that does not decide puts what is sent to it. */
export type MemberStage = BlobStage & InputStage;

export interface GatewayOptions {
  readonly cluster: ClusterPort;
  readonly callers: Callers;
  readonly inFlight: InFlight;
  readonly start: AnswerStart;
  readonly strangers: Pick<StrangerConnections, 'asked' | 'shown'>;
  readonly metrics: Metrics;
  /** Where this member itself is reached, as the leader's address is told. */
  readonly here: () => string | null;
  readonly upgrading: Upgrading;
  readonly access: Pick<Access, 'knowsSocket'>;
  /** Who may be answered here. */
  readonly knows: OwnAnswersOptions['knows'];
  /** Where long bodies are put; absent: they go to the leader as they come. */
  readonly stage?: MemberStage | undefined;
  readonly limits: Limits;
  /** Aborted when the server closes. */
  readonly closing: AbortSignal;
  /** How long requests wait for a leader; for tests. */
  readonly holdMs?: number | undefined;
  /** How busy the event loop is; for tests. */
  readonly busyShare?: BusyShare | undefined;
}

export class Gateway {
  readonly #options: GatewayOptions;
  readonly #lines: LeaderLines;
  readonly #holding: Holding;
  readonly #own: OwnAnswers;
  readonly #turningAway: TurningAway;
  readonly #tunnels = new Set<Tunnel>();
  /** Answers that have no end of their own. */
  readonly #streams = new Set<ServerResponse>();
  readonly #upgrading: Upgrading;
  /** Sockets of workers that end here, though this member does not lead. */
  readonly #ownSockets = new WeakSet<IncomingMessage>();

  constructor(options: GatewayOptions) {
    const { cluster, closing, holdMs } = options;
    this.#options = options;
    this.#upgrading = options.upgrading;
    this.#lines = new LeaderLines(cluster);
    this.#holding = new Holding(cluster, closing, holdMs);
    this.#own = new OwnAnswers({
      ...options,
      passOn: (request, reply) => this.#pass(request, reply),
      onAnswered: () => this.#count('from_store'),
    });
    this.#turningAway = new TurningAway(options);
    closing.addEventListener('abort', () => this.#close(), { once: true });
  }

  /** Worker sockets that are passed on as they are. */
  get workerSockets(): number {
    return this.#tunnels.size;
  }

  /** Call behind the gate, and before the hook that decides who may ask. */
  attach(app: App): void {
    app.addHook('onRequest', (request, reply, goOn) => {
      const { isPassedOn } = this.#options.callers.of(request.raw);
      // Many clients come on the connections of a member.
      if (isPassedOn) this.#options.strangers.shown(request.raw.socket);
      // Those that another member tunnels have found no better place.
      const isTurnedAway = !isPassedOn && this.#isSocket(request);
      const refusal = isTurnedAway ? this.#turningAway.refusal() : undefined;
      if (refusal !== undefined) return goOn(refusal);
      if (this.#isServedHere(request)) return goOn();
      if (isPassedOn) return goOn(new Refusal('shutting_down', loop));
      this.#options.strangers.asked(request.raw.socket);
      this.#own
        .takes(request)
        .then((isOurs) => isOurs || this.#take(request, reply))
        .then((isOurs) => {
          if (isOurs) goOn();
        }, goOn);
    });
    this.#own.attach(app);
    app.addHook('preParsing', (request, reply, _body, done) => {
      const isKnown = request.bearer !== null && this.#options.callers.of(request.raw).isPassedOn;
      if (isKnown) reply.raw.setHeader(knownHeader, '1');
      done();
    });
    app.addHook('onClose', async () => {
      this.#lines.close();
      this.#turningAway.close();
    });
  }

  /** Also what comes while this member ends: its coordinator says so itself. */
  #isServedHere(request: FastifyRequest): boolean {
    const { role, isReady } = this.#options.cluster;
    if (role === 'leading' || !asksApi(request)) return true;
    if (isReady) return false;
    // Who leads is asked above all while nobody does.
    return role === 'leaving' || request.routeOptions.url === clusterPath;
  }

  /** Whether the request becomes a socket that ends here, and is carried to the leader by the trunk. */
  carries(message: IncomingMessage): boolean {
    return this.#ownSockets.has(message);
  }

  /** True when this member serves the request itself. */
  async #take(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    if (!(await this.#mayEndHere(request))) return this.#pass(request, reply);
    this.#ownSockets.add(request.raw);
    return true;
  }

  /**
   * Sockets of workers end here while there is a trunk that carries what they say. Whoever is not known here (a page
   * with a ticket, a token that is not good or was made a moment ago) is shown to the leader.
   */
  async #mayEndHere(request: FastifyRequest): Promise<boolean> {
    if (!this.#isSocket(request) || !(await this.#hasTrunk())) return false;
    const isKnown = await this.#options.access.knowsSocket(request).catch(() => false);
    return isKnown && this.#options.cluster.isReady;
  }

  #isSocket({ routeOptions, raw }: FastifyRequest): boolean {
    return routeOptions.url === socketPath && this.#upgrading.has(raw);
  }

  /** The trunk to the next leader follows soon after the one before: a worker that comes back meanwhile waits for it. */
  async #hasTrunk(): Promise<boolean> {
    const { cluster, holdMs = usualHoldMs } = this.#options;
    if (!cluster.isReady) await this.#holding.wait(holdMs / 5, undefined);
    return cluster.isReady;
  }

  /** True when this member has become the leader, and serves the request itself. */
  async #pass(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const isUpgrade = this.#upgrading.has(request.raw);
    const body = this.#bodyOf(request, isUpgrade);
    let passed: Passed;
    try {
      passed = await this.#passed(request, reply, body, isUpgrade);
    } catch (error) {
      body.end();
      this.#count(outcomeOf(error));
      if (error instanceof Refusal) reply.header('retry-after', '1');
      throw error;
    }
    if (passed.is === 'ours') return true;
    body.forget();
    this.#count('answered');
    const { raw } = request;
    reply.hijack();
    if (passed.answer.headers[knownHeader] !== undefined) this.#options.strangers.shown(raw.socket);
    if (passed.is === 'upgraded') {
      this.#options.strangers.shown(raw.socket);
      this.#connect(request, reply, passed);
      return false;
    }
    this.#options.start.run(request, reply);
    if (isEndless(passed.answer)) this.#streams.add(reply.raw);
    relay(passed, reply.raw, body, () => {
      this.#streams.delete(reply.raw);
      passed.end();
    });
    return false;
  }

  #bodyOf(request: FastifyRequest, isUpgrade: boolean): PassedBody {
    const { stage, inFlight, limits } = this.#options;
    const { raw } = request;
    const { stagesBody } = request.routeOptions.config;
    if (stage !== undefined && stagesBody !== undefined && isLong(raw)) {
      if (stagesBody === 'bytes') return new StagedBody(raw, stage);
      if (mediaType(request) === 'application/x-ndjson') {
        return new StagedJob(raw, { stage, limits, inFlight, key: keyOf(request, limits) });
      }
    }
    return new SentBody(raw, inFlight, isUpgrade);
  }

  #passed(
    request: FastifyRequest,
    reply: FastifyReply,
    body: PassedBody,
    isUpgrade: boolean,
  ): Promise<Passed> {
    const { cluster, callers } = this.#options;
    const caller = callers.of(request.raw);
    // Its connection is gone already: nobody could be told whose request it was.
    if (caller.address === '') throw new ClientGone();
    return new PassedRequest({
      reply,
      method: request.method,
      path: request.raw.url ?? '/',
      headers: () => headersToLeader(request.raw, caller, cluster, isUpgrade, body.framing),
      body,
      lines: this.#lines,
      holding: this.#holding,
      place: () => this.#place(),
      leads: () => cluster.role === 'leading',
    }).passed();
  }

  /**
   * Where the leader is reached, which may be this member by now. Without a trunk nobody knows who answers at its
   * address: a leader that died may have left it to another program, and that one is told nothing.
   */
  #place(): LeaderPlace | null {
    const { cluster, here } = this.#options;
    if (!cluster.isReady) {
      this.#lines.closeKept();
      return null;
    }
    if (cluster.role !== 'leading') return cluster.leader;
    const [url, term] = [here(), cluster.ownTerm];
    return url === null || term === null ? null : { url, term, member: cluster.member };
  }

  #connect(
    { raw }: FastifyRequest,
    reply: FastifyReply,
    { answer, socket: leader, head, term, end }: Extract<Passed, { is: 'upgraded' }>,
  ): void {
    const { socket } = raw;
    end();
    reply.raw.detachSocket(socket);
    socket.setTimeout(0).setNoDelay(true);
    socket.write(headOfUpgrade(answer));
    const tunnel = new Tunnel(socket, leader, () => {
      ended();
      this.#tunnels.delete(tunnel);
    });
    const ended = this.#lines.open({ term, cut: () => tunnel.end(another) });
    this.#tunnels.add(tunnel);
    tunnel.start({ worker: this.#upgrading.headOf(raw), leader: head });
  }

  #count(outcome: PassedOutcome): void {
    this.#options.metrics.countPassed(outcome);
  }

  #close(): void {
    for (const tunnel of this.#tunnels) tunnel.end(stopping);
    for (const raw of this.#streams) raw.destroy();
  }
}

/** Null also for one that the leader refuses. */
function keyOf(request: FastifyRequest, limits: Limits): IdempotencyKey | null {
  try {
    return IdempotencyKey.of(request, limits);
  } catch {
    return null;
  }
}

function outcomeOf(error: unknown): PassedOutcome {
  if (error instanceof ClientGone) return 'client_gone';
  if (!(error instanceof Refusal)) return 'failed';
  return error.code === 'leader_changed' ? 'unknown' : 'no_leader';
}

/** As the router finds addresses: those that are whole, or have letters in other spellings, too. */
function asksApi({ raw: { url = '' }, routeOptions }: FastifyRequest): boolean {
  if (routeOptions.url === trunkPath) return false;
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path.startsWith('/api/') || routeOptions.url?.startsWith('/api/') === true;
}

/** The handshake is between worker and leader: what the leader says of it is passed on. */
function headOfUpgrade(answer: IncomingMessage): string {
  const raw = headersOfUpgrade(answer);
  let head = `HTTP/1.1 101 ${answer.statusMessage ?? ''}\r\n`;
  for (let i = 0; i < raw.length; i += 2) head += `${raw[i]}: ${raw[i + 1]}\r\n`;
  return `${head}\r\n`;
}

function isEndless({ headers }: IncomingMessage): boolean {
  return /^(?:text\/event-stream|application\/x-ndjson)/.test(headers['content-type'] ?? '');
}
