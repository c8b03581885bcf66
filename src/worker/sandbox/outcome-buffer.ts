// Outcomes on their way to the agent. They are gathered into one message per batch, per 5 ms or per
// 64 KiB: with messages four times as long the coordinator takes half as much memory again.

import type { Host } from './host.ts';
import { doneWidth, type FromChild, type OutcomeField } from './messages.ts';

const flushAfterMs = 5;
const flushAfterCharacters = 64 * 1024;

export class OutcomeBuffer {
  readonly #send: (message: FromChild) => void;
  readonly #now: () => number;
  #items: OutcomeField[] = [];
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
   * False when an error cut a message short: a task may call a function of the host when its stack is
   * nearly full. It is not known then what the agent has received.
   */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Work begins after a pause: CPU time that the process used meanwhile belongs to no attempt. */
  wake(): void {
    this.#flushedAt = this.#now();
    this.#cpuAt = this.#cpuMicros();
  }

  add(number: number, kind: number, text: string | Uint8Array, runMs: number): void {
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

  /** Sends waiting outcomes and then the message, so that events keep their order. */
  sendNow(message: FromChild): void {
    this.flush();
    const wasWhole = this.#isWhole;
    this.#isWhole = false;
    this.#send(message);
    this.#isWhole = wasWhole;
  }

  /**
   * Reads the CPU time once per flush and shares it out by run time: exact for an attempt that has a
   * flush for itself, an average for short ones.
   */
  #shareCpu(items: OutcomeField[]): void {
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
