// The socket of a worker that is at this member while the leader serves it. The bytes go by in both directions as
// fast as the other side takes them, so frames, pings, codes and limits are those of worker and leader, and nothing is
// kept here. Only where frames end is looked at: a worker whose leader is gone is told so between two of them.

import type { Duplex } from 'node:stream';
import { closeCode, closeMs } from '../../protocol/socket-closing.ts';
import { closeFrame, FrameBoundaries } from './frame-boundaries.ts';

const leaderGone = 'the leader of the cluster is gone';

export class Tunnel {
  readonly #worker: Duplex;
  readonly #leader: Duplex;
  readonly #fromLeader = new FrameBoundaries();
  readonly #onEnd: () => void;
  #isOver = false;

  /** `onEnd` is called once. */
  constructor(worker: Duplex, leader: Duplex, onEnd: () => void) {
    this.#worker = worker;
    this.#leader = leader;
    this.#onEnd = onEnd;
  }

  /** `begun`: what had come behind the handshake of either side. */
  start(begun: { readonly worker: Buffer; readonly leader: Buffer }): void {
    const [worker, leader] = [this.#worker, this.#leader];
    for (const side of [worker, leader]) side.on('error', () => side.destroy());
    leader.on('data', (bytes: Buffer) => this.#pass(bytes));
    worker.on('drain', () => leader.resume());
    leader.once('end', () => this.end(leaderGone));
    leader.once('close', () => this.end(leaderGone));
    worker.once('close', () => this.#over());
    if (begun.leader.length > 0) this.#pass(begun.leader);
    if (begun.worker.length > 0) leader.write(begun.worker);
    worker.pipe(leader);
    // Either may have ended before anybody listened.
    if (worker.destroyed) this.#over();
    else if (leader.destroyed) this.end(leaderGone);
  }

  /** Tells the worker to come again, unless it was told already that this ends. */
  end(reason: string): void {
    if (this.#isOver) return;
    this.#over();
    const { isBetween, hasClosed } = this.#fromLeader;
    if (!isBetween) return void this.#worker.destroy();
    this.#worker.end(hasClosed ? undefined : closeFrame(closeCode.goingAway, reason));
    // Its own farewell is read and dropped.
    this.#worker.resume();
    const timer = setTimeout(() => this.#worker.destroy(), closeMs);
    this.#worker.once('close', () => clearTimeout(timer));
  }

  #pass(bytes: Buffer): void {
    if (this.#isOver) return;
    this.#fromLeader.read(bytes);
    if (!this.#worker.write(bytes)) this.#leader.pause();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#worker.unpipe(this.#leader);
    // What the worker has sent last is still to reach it.
    this.#leader.end();
    const timer = setTimeout(() => this.#leader.destroy(), closeMs);
    timer.unref();
    this.#leader.once('close', () => clearTimeout(timer));
    this.#onEnd();
  }
}
