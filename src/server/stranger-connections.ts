// Connections on which nobody has shown a good token yet. Where tokens are asked for, so many of them may be
// open in all, and half as many from one address. Beyond that the oldest one of the address with the most is
// cut: whoever has a token shows it within moments, so the oldest are those that only hold. A newcomer is
// never turned away for what others at its address do.

import type { Socket } from 'node:net';
import type { App } from './app.ts';
import type { Callers } from './callers.ts';
import { addressAccount } from './connections.ts';

/** Share of the limit that one address may use. */
const shareOfAddress = 0.5;
/** A stranger whose first request has not arrived after this time is cut. */
const usualSilenceMs = 20_000;
const looksPerSilence = 4;

export interface StrangerOptions {
  readonly most: number;
  /** False while nobody needs a token: then nothing is counted. */
  readonly isCounted: () => boolean;
  readonly callers: Pick<Callers, 'isProxy'>;
  readonly onCut: () => void;
  readonly silenceMs?: number;
}

interface Stranger {
  readonly socket: Socket;
  readonly account: string;
  readonly at: number;
  hasAsked: boolean;
}

export class StrangerConnections {
  private readonly options: StrangerOptions;
  /** By where they come from, which under TLS is the same for both sockets of a connection. */
  private readonly all = new Map<string, Stranger>();
  private readonly ofAccounts = new Map<string, Set<Stranger>>();

  constructor(options: StrangerOptions) {
    this.options = options;
  }

  get count(): number {
    return this.all.size;
  }

  /** Whether nobody has shown a good token on it, where one is needed. */
  has(socket: Socket): boolean {
    return this.all.has(placeOf(socket));
  }

  /** Call before the hook that decides who asks: a request that it refuses was a request. */
  attach(app: App): void {
    app.server.on('connection', (socket: Socket) => this.enter(socket));
    app.addHook('onRequest', (request, _reply, done) => {
      if (this.all.size > 0) this.heard(placeOf(request.raw.socket));
      done();
    });
    app.addHook('preParsing', (request, _reply, _body, done) => {
      const isKnown = this.all.size > 0 && request.bearer !== null;
      if (isKnown) this.leave(placeOf(request.raw.socket));
      done();
    });
    const { silenceMs = usualSilenceMs } = this.options;
    const timer = setInterval(() => this.cutSilent(silenceMs), silenceMs / looksPerSilence);
    timer.unref();
    app.addHook('onClose', async () => clearInterval(timer));
  }

  private enter(socket: Socket): void {
    const { isCounted, callers } = this.options;
    // What a proxy sends comes from many, and it holds few connections.
    if (!isCounted() || callers.isProxy(socket.remoteAddress)) return;
    const account = addressAccount(socket.remoteAddress);
    const stranger = { socket, account, at: performance.now(), hasAsked: false };
    const place = placeOf(socket);
    this.all.set(place, stranger);
    const ofAccount = this.ofAccounts.get(account) ?? new Set();
    this.ofAccounts.set(account, ofAccount.add(stranger));
    socket.once('close', () => {
      if (this.all.get(place) === stranger) this.leave(place);
    });
    this.makeRoom(ofAccount);
  }

  private makeRoom(ofAccount: Set<Stranger>): void {
    const { most } = this.options;
    if (ofAccount.size > Math.ceil(most * shareOfAddress)) this.cutOldest(ofAccount);
    else if (this.all.size > most) this.cutOldest(this.fullest());
  }

  private fullest(): Set<Stranger> {
    let most = new Set<Stranger>();
    for (const each of this.ofAccounts.values()) if (each.size > most.size) most = each;
    return most;
  }

  private cutOldest([oldest]: Set<Stranger>): void {
    if (oldest !== undefined) this.cut(oldest);
  }

  private cut({ socket }: Stranger): void {
    this.leave(placeOf(socket));
    socket.resetAndDestroy();
    this.options.onCut();
  }

  private cutSilent(silenceMs: number): void {
    const last = performance.now() - silenceMs;
    for (const stranger of this.all.values()) {
      // The oldest come first.
      if (stranger.at > last) return;
      if (!stranger.hasAsked) this.cut(stranger);
    }
  }

  /** A request came on it that others decide about. */
  asked(socket: Socket): void {
    if (this.all.size > 0) this.heard(placeOf(socket));
  }

  /** Whoever decides about what comes on it has found its token good. */
  shown(socket: Socket): void {
    if (this.all.size > 0) this.leave(placeOf(socket));
  }

  private heard(place: string): void {
    const stranger = this.all.get(place);
    if (stranger !== undefined) stranger.hasAsked = true;
  }

  /** It has shown a token, or is over. */
  private leave(place: string): void {
    const stranger = this.all.get(place);
    if (stranger === undefined) return;
    this.all.delete(place);
    const ofAccount = this.ofAccounts.get(stranger.account);
    ofAccount?.delete(stranger);
    if (ofAccount?.size === 0) this.ofAccounts.delete(stranger.account);
  }
}

function placeOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
