// Outcomes on their way to the agent, coalesced: a message per batch, per 5 ms or per 64 KiB.

import type { Host } from './host.ts';
import { doneWidth, type FromChild } from './messages.ts';

const flushAfterMs = 5;
const flushAfterCharacters = 64 * 1024;

export class Outbox {
  readonly #send: (message: FromChild) => void;
  readonly #now: () => number;
  #items: (string | number)[] = [];
  #characters = 0;
  #flushedAt = 0;
  #isWhole = true;
  readonly #cpuMicros: Host['cpuMicros'];
  #cpuAt: number;

  constructor(
    send: (message: FromChild) => void,
    now: () => number,
    { cpuMicros }: Pick<Host, 'cpuMicros'>,
  ) {
    this.#send = send;
    this.#now = now;
    this.#cpuMicros = cpuMicros;
    this.#cpuAt = cpuMicros();
  }

  /**
   * False when a message was cut short by an error: a task may call a function of the host so deep in
   * its stack that there is no room left for it. What the agent has been told is not known then.
   */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Work begins after a pause: what the process did meanwhile is nobody's CPU time. */
  wake(): void {
    this.#flushedAt = this.#now();
    this.#cpuAt = this.#cpuMicros();
  }

  add(number: number, kind: number, text: string, runMs: number): void {
    this.#items.push(number, kind, text, runMs, 0);
    this.#characters += text.length;
  }

  flushIfDue(nowMs: number): void {
    const isDue = nowMs - this.#flushedAt >= flushAfterMs;
    if (isDue || this.#characters >= flushAfterCharacters) this.flush();
  }

  flush(): void {
    if (this.#items.length === 0) return;
    const items = this.#items;
    this.#shareCpu(items);
    const wasWhole = this.#isWhole;
    this.#isWhole = false;
    this.#items = [];
    this.#characters = 0;
    this.#flushedAt = this.#now();
    this.#send(['done', items]);
    this.#isWhole = wasWhole;
  }

  /** Sends another message after what is waiting, so that events keep their order. */
  sendNow(message: FromChild): void {
    this.flush();
    const wasWhole = this.#isWhole;
    this.#isWhole = false;
    this.#send(message);
    this.#isWhole = wasWhole;
  }

  /**
   * CPU time is read once per flush and shared out by run time: exact for an attempt that fills a
   * flush, an average for short ones.
   */
  #shareCpu(items: (string | number)[]): void {
    const cpuAt = this.#cpuMicros();
    const micros = cpuAt - this.#cpuAt;
    this.#cpuAt = cpuAt;
    let runMs = 0;
    for (let i = 3; i < items.length; i += doneWidth) runMs += items[i] as number;
    const secondsPerMs = runMs > 0 ? micros / 1e6 / runMs : 0;
    for (let i = 3; i < items.length; i += doneWidth) {
      items[i + 1] = (items[i] as number) * secondsPerMs;
    }
  }
}
