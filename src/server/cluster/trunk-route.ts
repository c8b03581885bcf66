// Where other members ask for a trunk: whoever shows the secret of the cluster is greeted (`TrunkEnds`). What workers say
// on it is for `TrunkSessions`.

import { type WebSocket, WebSocketServer } from 'ws';
import type { ClusterPort } from '../../cluster/port.ts';
import { trunkPath } from '../../cluster/trunk.ts';
import { TrunkEnds } from '../../cluster/trunk-ends.ts';
import type { App } from '../app.ts';
import type { MemberProof } from '../member-proof.ts';
import { Refusal } from '../refusal.ts';
import type { StrangerConnections } from '../stranger-connections.ts';
import { stopping } from '../workers/close-frame.ts';
import { TrunkSessions, type TrunkSessionsOptions } from './trunk-sessions.ts';
import type { Upgrading } from './upgrading.ts';

/** Beside the longest frame of a worker: what is gathered with it. */
const gatheredBytes = 2 * 1024 * 1024;

export interface TrunkOptions extends TrunkSessionsOptions {
  readonly cluster: ClusterPort;
  readonly proof: MemberProof;
  readonly strangers: Pick<StrangerConnections, 'shown'>;
  readonly upgrading: Upgrading;
  readonly version: string;
  readonly closing: AbortSignal;
}

export class TrunkRoute {
  readonly #options: TrunkOptions;
  readonly #sockets: WebSocketServer;
  readonly #ends: TrunkEnds<WebSocket>;

  constructor(options: TrunkOptions) {
    this.#options = options;
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: options.limits.frameBytes + gatheredBytes,
      perMessageDeflate: false,
      // Whether a frame is UTF-8 is found out where it is read, a slice a turn.
      skipUTF8Validation: true,
    });
    const { cluster, version, closing } = options;
    const begin = (socket: WebSocket) => {
      const sessions = new TrunkSessions(socket, options);
      sessions.start();
      return sessions;
    };
    this.#ends = new TrunkEnds({ cluster, version, begin });
    closing.addEventListener('abort', () => this.#ends.close(stopping), { once: true });
  }

  /** Ids of the members whose trunks are open here. */
  get members(): readonly string[] {
    return this.#ends.members;
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
        this.#ends.greet(opened, socket),
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
}

const forMembers = 'This address is for the members of the cluster, who show its secret.';
