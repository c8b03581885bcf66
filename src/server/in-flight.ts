// The memory for bodies and frames that are being read or wait to be taken. All senders share one
// budget. The first bytes of each body are free, since most are short and their number is bounded
// elsewhere. A part of the budget is reserved for workers, so that a flood of jobs does not stop
// their reports.

import type { IncomingMessage } from 'node:http';
import type { AnswerStart } from './answer-start.ts';
import { Refusal } from './refusal.ts';

/** Free bytes of each body and each connection. */
export const freeBytes = 64 * 1024;
/** Share of the budget that senders other than workers may fill. */
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
   * Releases the memory of a request when its answer is ready. Waiting until the answer has arrived would
   * not do: for a client that has left, that never happens.
   */
  attach(start: AnswerStart): void {
    start.add((request) => this.ofRequests.get(request.raw)?.release());
  }

  hold(isWorker: boolean): Hold {
    return new Hold(this, isWorker);
  }

  /** The answer releases the hold; who gives up before must do that. */
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

  /** Calls once when memory was given back; the returned function cancels that. */
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

/** The part of the budget that one sender holds. */
export class Hold {
  /** A worker that has done work may use the reserve. */
  isWorker: boolean;
  private readonly budget: InFlight;
  private size = 0;

  constructor(budget: InFlight, isWorker: boolean) {
    this.budget = budget;
    this.isWorker = isWorker;
  }

  /** Sets the number of bytes held. False when there is no room; then nothing changes. */
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
