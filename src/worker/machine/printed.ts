// What attempts print while they run, until it is sent: gathered for a moment, and bounded by so many
// characters a second for each attempt and for the worker. What is too much is left out and counted; a task
// never waits for it, and none of it is sent twice.

import { Allowance } from '../../protocol/allowance.ts';
import type { LocalAttempt } from './local-attempt.ts';
import type { Outgoing } from './outgoing.ts';
import type { MachineTuning } from './port.ts';

interface Printed {
  /** Waits to be sent. */
  text: string;
  /** Characters before `text` that are left out. */
  leftOut: number;
  /** Characters after `text` that are left out: they are told with the next one. */
  leftOutAfter: number;
  readonly own: Allowance;
}

export class PrintedTexts {
  readonly #bounds: MachineTuning['printed'];
  readonly #all: Allowance;
  readonly #texts = new Map<LocalAttempt, Printed>();
  readonly #waiting = new Set<LocalAttempt>();

  constructor(bounds: MachineTuning['printed']) {
    this.#bounds = bounds;
    this.#all = new Allowance(bounds.worker);
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  add(attempt: LocalAttempt, text: string, nowMs: number): void {
    let printed = this.#texts.get(attempt);
    if (printed === undefined) {
      printed = { text: '', leftOut: 0, leftOutAfter: 0, own: new Allowance(this.#bounds.attempt) };
      this.#texts.set(attempt, printed);
    }
    const room = Math.min(printed.own.room(nowMs), this.#all.room(nowMs), text.length);
    // Behind a gap nothing is added, so that the text has its gap at its end.
    const taken = printed.leftOutAfter > 0 && printed.text !== '' ? 0 : room;
    if (taken > 0) {
      printed.own.spend(taken);
      this.#all.spend(taken);
      if (printed.text === '') {
        printed.leftOut += printed.leftOutAfter;
        printed.leftOutAfter = 0;
      }
      printed.text += text.slice(0, taken);
      this.#waiting.add(attempt);
    }
    printed.leftOutAfter += text.length - taken;
  }

  flush(out: Outgoing): void {
    for (const attempt of this.#waiting) this.#send(attempt, out);
    this.#waiting.clear();
  }

  /** The attempt has ended: what waits goes before its report. */
  end(attempt: LocalAttempt, out: Outgoing): void {
    if (this.#waiting.delete(attempt)) this.#send(attempt, out);
    const { leftOut = 0, leftOutAfter = 0 } = this.#texts.get(attempt) ?? {};
    if (out.isOpen && leftOut + leftOutAfter > 0) out.output(attempt, '', leftOut + leftOutAfter);
    this.#texts.delete(attempt);
  }

  /** Nobody wants to know any more. */
  forget(attempt: LocalAttempt): void {
    this.#waiting.delete(attempt);
    this.#texts.delete(attempt);
  }

  #send(attempt: LocalAttempt, out: Outgoing): void {
    const printed = this.#texts.get(attempt);
    if (printed === undefined) return;
    // Without a connection it is lost, and counted.
    if (out.isOpen) {
      out.output(attempt, printed.text, printed.leftOut);
      printed.leftOut = 0;
    } else printed.leftOut += printed.text.length;
    printed.text = '';
  }
}
