// One end of a WebSocket between two hosts, as the production code of trunks uses one. What arrives while its process
// stands still is read when that goes on; a process that has died hears nothing, and whoever sends to it is told so as
// soon as its machine is up.

import { EventEmitter } from 'node:events';
import type { TrunkSocket } from '../../cluster/trunk.ts';
import type { Way } from './wires.ts';

/** The process at one end. */
export interface SocketProcess {
  /** It has not died. */
  readonly isAlive: boolean;
  /** Its machine is there, and says so of a process that is not. */
  readonly isReset: boolean;
  /** Calls when it reads what has come. */
  read(fn: () => void): void;
  /** Calls when what it does now is over. */
  defer(fn: () => void): void;
}

/** As `ws` says it of an address that nobody listens on. */
class Refused extends Error {
  readonly code = 'ECONNREFUSED';
}

export class SimSocket extends EventEmitter implements TrunkSocket {
  /** Whatever is sent is read at once, as far as the sender knows. */
  readonly bufferedAmount = 0;
  private readonly process: SocketProcess;
  private readonly way: Way;
  private peer: SimSocket | null = null;
  private state: 'connecting' | 'open' | 'closing' | 'closed' = 'connecting';

  constructor(process: SocketProcess, way: Way) {
    super();
    this.process = process;
    this.way = way;
  }

  /** The handshake is over at this end. */
  accept(peer: SimSocket): void {
    this.peer = peer;
    this.state = 'open';
    this.way.send(() => peer.hear(() => peer.opened(this)));
  }

  refused(): void {
    this.hear(() => {
      if (this.state !== 'connecting') return;
      this.emit('error', new Refused('connect ECONNREFUSED'));
      this.finish();
    });
  }

  send(frame: string, written?: () => void): void {
    if (this.state !== 'open') return;
    this.tell((peer) => peer.emit('message', frame, false));
    if (written !== undefined) this.process.defer(written);
  }

  ping(): void {
    if (this.state !== 'open') return;
    this.tell((peer) => {
      peer.emit('ping');
      peer.tell((self) => self.emit('pong'));
    });
  }

  close(): void {
    if (this.state === 'connecting') return this.finish();
    if (this.state !== 'open') return;
    this.state = 'closing';
    this.tell((peer) => {
      peer.tell((self) => self.finish());
      peer.finish();
    });
  }

  terminate(): void {
    if (this.state === 'closed') return;
    this.reset();
    this.finish();
  }

  /** The other end is told that nobody is here any more, when the way is there. */
  reset(): void {
    const { peer } = this;
    if (peer !== null) this.way.send(() => peer.hear(() => peer.finish()));
  }

  /** It breaks somewhere on the way: each end hears of it by itself, or only this one. */
  snap(bothHear: boolean): void {
    if (bothHear) this.reset();
    this.hear(() => this.finish());
  }

  private opened(peer: SimSocket): void {
    if (this.state !== 'connecting') return peer.hear(() => peer.finish());
    this.peer = peer;
    this.state = 'open';
    this.emit('open');
  }

  /** Something goes to the other end. */
  private tell(arrive: (peer: SimSocket) => void): void {
    const { peer } = this;
    if (peer === null) return;
    this.way.send(() => {
      const { isAlive, isReset } = peer.process;
      // Nobody has this connection there any more.
      if (isAlive ? peer.state === 'closed' : isReset) return peer.reset();
      peer.hear(() => {
        if (peer.state !== 'closed') arrive(peer);
      });
    });
  }

  private hear(fn: () => void): void {
    this.process.read(() => {
      if (this.process.isAlive) fn();
    });
  }

  private finish(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.process.defer(() => this.emit('close'));
  }
}
