// Memory for what is on its way in: bodies and frames that are being read or wait to be taken. All
// senders share one budget. The first bytes of each are free, since most are short and their number is
// bounded elsewhere; a part of the rest is kept for workers, whose reports a flood of jobs must not stop.

import type { IncomingMessage } from 'node:http';
import type { App } from './app.ts';
import { Refusal } from './refusal.ts';

/** Of each body and each connection. */
export const freeBytes = 64 * 1024;
/** Others than workers may fill so much of the budget. */
const shareOfOthers = 0.75;

export class InFlight {
  private readonly mostBytes: number;
  private usedBytes = 0;
  private readonly ofRequests = new WeakMap<IncomingMessage, Hold>();
  private readonly waiting = new Set<() => void>();

  constructor(mostBytes: number) {
    this.mostBytes = mostBytes;
  }

  /**
   * What requests hold is given back when their answer is ready. Not when it has arrived: of a client
   * that has left, nobody hears that.
   */
  attach(app: App): void {
    app.addHook('onSend', (request, _reply, payload, done) => {
      this.ofRequests.get(request.raw)?.release();
      done(null, payload);
    });
  }

  hold(isWorker: boolean): Hold {
    return new Hold(this, isWorker);
  }

  /** Whoever gives up before there is an answer must release it. */
  holdFor(message: IncomingMessage, isWorker: boolean): Hold {
    const hold = this.hold(isWorker);
    this.ofRequests.set(message, hold);
    return hold;
  }

  /** False when there is no room. */
  take(bytes: number, isWorker: boolean): boolean {
    const most = isWorker ? this.mostBytes : this.mostBytes * shareOfOthers;
    if (this.usedBytes + bytes > most) return false;
    this.usedBytes += bytes;
    return true;
  }

  give(bytes: number): void {
    if (bytes === 0) return;
    this.usedBytes -= bytes;
    const all = [...this.waiting];
    this.waiting.clear();
    for (const retry of all) retry();
  }

  /** Calls once, when something was given back. The answer calls it off. */
  onRoom(retry: () => void): () => void {
    this.waiting.add(retry);
    return () => this.waiting.delete(retry);
  }

  full(): Refusal {
    const detail =
      `Bodies and frames of ${this.mostBytes} bytes are being read at the moment ` +
      '(limit in_flight_bytes); try again later.';
    return new Refusal('busy', detail);
  }
}

/** What one sender holds of the budget. */
export class Hold {
  /** A worker that has proved itself may use the reserve. */
  isWorker: boolean;
  private readonly budget: InFlight;
  private size = 0;

  constructor(budget: InFlight, isWorker: boolean) {
    this.budget = budget;
    this.isWorker = isWorker;
  }

  /** So many bytes in all. False when there is no room for more; then it holds what it held. */
  resize(bytes: number): boolean {
    const wanted = Math.max(0, bytes - freeBytes);
    if (wanted > this.size && !this.budget.take(wanted - this.size, this.isWorker)) return false;
    const before = this.size;
    this.size = wanted;
    if (wanted < before) this.budget.give(before - wanted);
    return true;
  }

  release(): void {
    this.resize(0);
  }
}
