// The ends of trunks at the member that is asked: it says who it is and which term it leads, and keeps a trunk open for as
// long as that is the term that the other member is after. What is carried is told to whoever begins it.

import { closeCode, closeMs } from '../protocol/socket-closing.ts';
import type { ClusterPort } from './port.ts';
import {
  readGreeting,
  realTrunkClock,
  type TrunkClock,
  type TrunkGreeting,
  type TrunkNetwork,
  type TrunkSocket,
  watchPulse,
} from './trunk.ts';

const greetingMs = 2_000;
/** How often it is looked at whether this member still leads. */
const lookMs = 200;

const notLeading = 'this member does not lead that term';

/** Frames of one trunk. */
export interface TrunkReader {
  /** False while a frame is still being read: what the other side says then is not heard. */
  readonly isListening: boolean;
}

export interface TrunkEndsOptions<Socket extends TrunkSocket> {
  readonly cluster: Pick<ClusterPort, 'member' | 'role' | 'ownTerm'>;
  readonly version: string;
  /** The trunk is open, and carries sessions of workers from now on. */
  readonly begin: (socket: Socket) => TrunkReader;
  readonly clock?: TrunkClock;
}

interface Kept {
  readonly member: string;
  readonly term: string;
}

export class TrunkEnds<Socket extends TrunkSocket> {
  readonly #options: TrunkEndsOptions<Socket>;
  readonly #clock: TrunkClock;
  readonly #sockets = new Set<Socket>();
  readonly #open = new Map<Socket, Kept>();
  /** The other side has not confirmed yet that they are closed. */
  readonly #ending = new WeakSet<Socket>();
  #endLooking: (() => void) | null = null;
  #closing: string | null = null;

  constructor(options: TrunkEndsOptions<Socket>) {
    this.#options = options;
    this.#clock = options.clock ?? realTrunkClock;
  }

  /** Ids of the members whose trunks are open here. */
  get members(): readonly string[] {
    return [...new Set([...this.#open.values()].map(({ member }) => member))];
  }

  /** A member has shown the secret of the cluster on this connection. */
  greet(socket: Socket, network?: TrunkNetwork): void {
    const { cluster, version } = this.#options;
    socket.on('error', () => socket.terminate());
    if (this.#closing !== null) return this.#end(socket, closeCode.goingAway, this.#closing);
    this.#sockets.add(socket);
    const { member, role, ownTerm: term } = cluster;
    socket.send(JSON.stringify({ trunk: 1, term, member, version, role } satisfies TrunkGreeting));
    const cancel = this.#clock.setTimer(greetingMs, () =>
      this.#end(socket, closeCode.policy, 'no greeting'),
    );
    socket.once('close', () => {
      cancel();
      this.#sockets.delete(socket);
    });
    socket.once('message', (data) => {
      cancel();
      const greeting = readGreeting(data.toString());
      if (greeting === null) return this.#end(socket, closeCode.policy, 'this is no greeting');
      if (greeting.term === null || greeting.term !== cluster.ownTerm) {
        return this.#end(socket, closeCode.tryLater, notLeading);
      }
      this.#keep(socket, network, { member: greeting.member, term: greeting.term });
    });
  }

  /** All end, and none begins. */
  close(reason: string): void {
    this.#closing = reason;
    for (const socket of this.#sockets) this.#end(socket, closeCode.goingAway, reason);
  }

  #keep(socket: Socket, network: TrunkNetwork | undefined, kept: Kept): void {
    const reader = this.#options.begin(socket);
    this.#open.set(socket, kept);
    this.#endLooking ??= this.#clock.often(lookMs, () => this.#look());
    const isListening = () => reader.isListening;
    watchPulse(socket, () => socket.terminate(), { clock: this.#clock, network, isListening });
    socket.once('close', () => {
      this.#open.delete(socket);
      if (this.#open.size > 0) return;
      this.#endLooking?.();
      this.#endLooking = null;
    });
  }

  #look(): void {
    const { ownTerm } = this.#options.cluster;
    for (const [socket, { term }] of this.#open) {
      if (term !== ownTerm) this.#end(socket, closeCode.tryLater, notLeading);
    }
  }

  #end(socket: Socket, code: number, reason: string): void {
    if (this.#ending.has(socket)) return;
    this.#ending.add(socket);
    socket.close(code, reason);
    const cancel = this.#clock.setTimer(closeMs, () => socket.terminate());
    socket.once('close', cancel);
  }
}
