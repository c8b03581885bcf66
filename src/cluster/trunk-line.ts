// The end of a trunk at the member that follows: one connection to the leader of a term, opened anew whenever it
// breaks. It tells what it meets and decides nothing; whether a leader is dead is for `Contention` to say. While it is
// open it carries what workers say who are at this member.

import type { TrunkEars, TrunkPort } from '../coordinator/port/trunk.ts';
import { GatewayTrunk, tellFrame } from './gateway-trunk.ts';
import type { LeaderPlace, Role } from './port.ts';
import {
  pingMs,
  readGreeting,
  realTrunkClock,
  type TrunkClock,
  type TrunkGreeting,
  type TrunkNetwork,
  type TrunkSocket,
  watchPulse,
} from './trunk.ts';

const usualRetryMs = 200;
/** Connection, handshakes and greeting together. */
const openMs = 2_000;
/** Who was met at the address of the leader instead. */
export interface MetMember {
  readonly member: string;
  readonly role: Role | undefined;
  /** The term that it leads. */
  readonly term: string | null;
}

export const leaderGone = 'the leader of the cluster is gone';
const another = 'another coordinator leads the cluster';

/** Begins connections to one address. */
export interface Dialer {
  /** For people. */
  readonly url: string;
  dial(): Dialed;
  close(): void;
}

export interface Dialed {
  readonly socket: TrunkSocket;
  /** Undefined until it is open. */
  readonly network: TrunkNetwork | undefined;
}

export interface TrunkLineOptions {
  readonly place: LeaderPlace;
  /** To the address of the leader. */
  readonly dialer: Dialer;
  readonly clock?: TrunkClock;
  /** This member. */
  readonly member: string;
  readonly version: string;
  /** The leader of the term has answered. */
  onOpen(): void;
  /** An open trunk broke by itself, or the leader has ended it; not: it fell silent. */
  onReset(): void;
  /** A try came to nobody: the address refuses, or is another member's, or that of one that leads the term no more. */
  onRefused(): void;
  /** It cannot be told whether the leader is there: an open trunk fell silent, or a try took too long or failed. */
  onUndecided(reason: string): void;
  /** Told before `onRefused`. */
  onMeets(other: MetMember): void;
  /** It is open, and carries sessions of workers from now on; absent: it carries none. */
  readonly begin?: (trunk: TrunkPort) => TrunkEars;
  /** For tests. */
  readonly retryMs?: number;
  readonly pingMs?: number;
}

export class TrunkLine {
  readonly #options: TrunkLineOptions;
  readonly #clock: TrunkClock;
  #socket: TrunkSocket | null = null;
  /** Cancels the next try. */
  #cancel: () => void = () => undefined;
  #isOpen = false;
  #trouble: string | null = null;
  #isClosed = false;
  /** Ends what is carried. */
  #drop: (because: string) => void = () => undefined;

  /** Begins at once; tells nothing before the next turn. */
  constructor(options: TrunkLineOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realTrunkClock;
    this.#try();
  }

  /** The leader has answered, and is still there as far as is known. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  get trouble(): string | null {
    return this.#trouble;
  }

  /** Nothing is told from here on. */
  close(): void {
    this.#isClosed = true;
    this.#isOpen = false;
    this.#drop(another);
    this.#cancel();
    const socket = this.#socket;
    this.#socket = null;
    socket?.terminate();
    this.#options.dialer.close();
  }

  #try(): void {
    const { place, member, version, dialer } = this.#options;
    const dialed = dialer.dial();
    const { socket } = dialed;
    this.#socket = socket;
    let fault: NodeJS.ErrnoException | undefined;
    let isSilent = false;
    const silent = () => {
      isSilent = true;
      socket.terminate();
    };
    const cancel = this.#clock.setTimer(openMs, silent);
    socket.on('error', (error) => (fault ??= error));
    socket.once('open', () => {
      const greeting = { trunk: 1, term: place.term, member, version } satisfies TrunkGreeting;
      socket.send(JSON.stringify(greeting));
    });
    let met: MetMember | undefined;
    socket.once('message', (data) => {
      cancel();
      const greeting = readGreeting(data.toString());
      if (greeting === null) return socket.terminate();
      if (this.#isLeader(greeting)) return this.#opened(socket, dialed.network, silent);
      met = { member: greeting.member, role: greeting.role, term: greeting.term };
      socket.terminate();
    });
    socket.once('close', () => {
      cancel();
      if (this.#isClosed) return;
      this.#ended(isSilent, met, fault);
      // Whoever was told may have closed it.
      if (this.#isClosed) return;
      const { retryMs = usualRetryMs } = this.#options;
      this.#cancel = this.#clock.setTimer(retryMs, () => this.#try());
    });
  }

  #isLeader({ member, term }: TrunkGreeting): boolean {
    const { place } = this.#options;
    return member === place.member && term === place.term;
  }

  #opened(socket: TrunkSocket, network: TrunkNetwork | undefined, silent: () => void): void {
    if (this.#isClosed) return;
    this.#isOpen = true;
    const everyMs = this.#options.pingMs ?? pingMs;
    watchPulse(socket, silent, { clock: this.#clock, everyMs, network });
    this.#carry(socket);
    this.#options.onOpen();
  }

  #carry(socket: TrunkSocket): void {
    const { begin } = this.#options;
    if (begin === undefined) return;
    const trunk = new GatewayTrunk(socket, (fn) => this.#clock.defer(fn));
    const ears = begin(trunk);
    this.#drop = (because) => {
      this.#drop = () => undefined;
      trunk.end();
      ears.lost(because);
    };
    socket.on('message', (data, isBinary) => {
      if (this.#socket !== socket || !this.#isOpen) return;
      // Not a leader of this version.
      if (isBinary || !tellFrame(data.toString(), ears)) socket.terminate();
    });
  }

  #ended(
    isSilent: boolean,
    met: MetMember | undefined,
    fault: NodeJS.ErrnoException | undefined,
  ): void {
    const { url } = this.#options.dialer;
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#drop(leaderGone);
    if (isSilent) {
      this.#trouble = wasOpen ? 'it fell silent' : 'it does not answer';
      return this.#options.onUndecided(`The leader at ${url}: ${this.#trouble}.`);
    }
    if (wasOpen) {
      this.#trouble = 'it ended the connection';
      return this.#options.onReset();
    }
    if (met !== undefined) {
      this.#trouble = 'another coordinator answers there, or it leads no more';
      this.#options.onMeets(met);
      return this.#options.onRefused();
    }
    this.#trouble = reasonOf(fault);
    if (fault?.code === 'ECONNREFUSED') return this.#options.onRefused();
    this.#options.onUndecided(`The leader at ${url} could not be reached: ${this.#trouble}.`);
  }
}

function reasonOf(fault: Error | undefined): string {
  if (fault === undefined) return 'it ended the connection without a greeting';
  const [, status] = /^Unexpected server response: (\d+)$/.exec(fault.message) ?? [];
  if (status === undefined) return fault.message;
  if (status !== '401') return `what answers there is no coordinator (status ${status})`;
  return (
    'it does not take the secret of the cluster, which was changed in the database or is that of another one ' +
    '(if it was changed, start all coordinators again)'
  );
}
