// The end of a trunk at the member that is asked: it says who it is and which term it leads, and keeps the trunk
// open for as long as that is the term that the other member is after. What workers say on it is for `TrunkSessions`.

import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ClusterPort } from '../../cluster/port.ts';
import { readGreeting, type TrunkGreeting, trunkPath, watchPulse } from '../../cluster/trunk.ts';
import type { App } from '../app.ts';
import type { MemberProof } from '../member-proof.ts';
import { Refusal } from '../refusal.ts';
import type { StrangerConnections } from '../stranger-connections.ts';
import { closeCode, closeMs, stopping } from '../workers/close-frame.ts';
import { TrunkSessions, type TrunkSessionsOptions } from './trunk-sessions.ts';
import type { Upgrading } from './upgrading.ts';

const greetingMs = 2_000;
/** Beside the longest frame of a worker: what is gathered with it. */
const gatheredBytes = 2 * 1024 * 1024;
/** How often it is looked at whether this member still leads. */
const lookMs = 200;

const notLeading = 'this member does not lead that term';

export interface TrunkOptions extends TrunkSessionsOptions {
  readonly cluster: ClusterPort;
  readonly proof: MemberProof;
  readonly strangers: Pick<StrangerConnections, 'shown'>;
  readonly upgrading: Upgrading;
  readonly version: string;
  readonly closing: AbortSignal;
}

interface Trunk {
  readonly member: string;
  readonly term: string;
  readonly sessions: TrunkSessions;
}

export class TrunkRoute {
  readonly #options: TrunkOptions;
  readonly #sockets: WebSocketServer;
  readonly #open = new Map<WebSocket, Trunk>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: TrunkOptions) {
    this.#options = options;
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: options.limits.frameBytes + gatheredBytes,
      perMessageDeflate: false,
      // Whether a frame is UTF-8 is found out where it is read, a slice a turn.
      skipUTF8Validation: true,
    });
    options.closing.addEventListener('abort', () => this.#close(), { once: true });
  }

  /** Ids of the members whose trunks are open here. */
  get members(): readonly string[] {
    return [...new Set([...this.#open.values()].map(({ member }) => member))];
  }

  /** Call behind the gate, and before the hook that decides who may ask. */
  attach(app: App): void {
    const { upgrading, proof, strangers } = this.#options;
    app.addHook('onRequest', ({ routeOptions, raw }, reply, done) => {
      if (routeOptions.url !== trunkPath || !upgrading.has(raw)) return done();
      if (!proof.isToken(raw.headers)) return done(new Refusal('unauthorized', forMembers));
      const { socket } = raw;
      strangers.shown(socket);
      reply.hijack();
      reply.raw.detachSocket(socket);
      this.#sockets.handleUpgrade(raw, socket, upgrading.headOf(raw), (opened) =>
        this.#greet(opened, socket),
      );
    });
    // An upgrade that is refused leaves a socket that nobody owns.
    app.addHook('onResponse', ({ routeOptions, raw }, _reply, done) => {
      if (routeOptions.url === trunkPath && upgrading.has(raw)) raw.socket.destroySoon();
      done();
    });
    app.get(
      trunkPath,
      { config: { access: 'anybody', countsAs: 'nothing' }, schema: { hide: true } },
      () => {
        throw new Refusal('not_found', `${forMembers} It speaks WebSocket only.`);
      },
    );
  }

  #greet(socket: WebSocket, network: Socket): void {
    const { cluster, version, closing } = this.#options;
    socket.on('error', () => socket.terminate());
    if (closing.aborted) return end(socket, closeCode.goingAway, stopping);
    const { member, role, ownTerm: term } = cluster;
    socket.send(JSON.stringify({ trunk: 1, term, member, version, role } satisfies TrunkGreeting));
    const timer = setTimeout(() => end(socket, closeCode.policy, 'no greeting'), greetingMs);
    socket.once('close', () => clearTimeout(timer));
    socket.once('message', (data) => {
      clearTimeout(timer);
      const greeting = readGreeting((data as Buffer).toString());
      if (greeting === null) return end(socket, closeCode.policy, 'this is no greeting');
      if (greeting.term === null || greeting.term !== cluster.ownTerm) {
        return end(socket, closeCode.tryLater, notLeading);
      }
      const sessions = new TrunkSessions(socket, this.#options);
      sessions.start();
      this.#keep(socket, network, { member: greeting.member, term: greeting.term, sessions });
    });
  }

  #keep(socket: WebSocket, network: Socket, trunk: Trunk): void {
    this.#open.set(socket, trunk);
    this.#timer ??= setInterval(() => this.#look(), lookMs).unref();
    const { sessions } = trunk;
    const isListening = () => sessions.isListening;
    watchPulse(socket, () => socket.terminate(), { network, isListening });
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    });
  }

  #look(): void {
    const { ownTerm } = this.#options.cluster;
    for (const [socket, { term }] of this.#open) {
      if (term !== ownTerm) end(socket, closeCode.tryLater, notLeading);
    }
  }

  #close(): void {
    for (const socket of this.#sockets.clients) end(socket, closeCode.goingAway, stopping);
  }
}

const forMembers = 'This address is for the members of the cluster, who show its secret.';

function end(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), closeMs);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}
