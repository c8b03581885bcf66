// The local queue: attempts that are assigned to this worker and handed to no slot yet. A linked
// list through the attempts themselves, because a recall or a cancel takes them out of the middle.

import type { LocalAttempt } from './local-attempt.ts';

const queued = { at: 'queued' } as const;
const gone = { at: 'gone' } as const;

export class AttemptQueue {
  size = 0;
  /** Sum of the expected work of all attempts that passed another one; only rises. */
  passedMs = 0;
  first: LocalAttempt | null = null;
  #last: LocalAttempt | null = null;

  append(attempt: LocalAttempt): void {
    attempt.place = queued;
    attempt.passedFromMs = this.passedMs;
    attempt.previous = this.#last;
    attempt.next = null;
    if (this.#last === null) this.first = attempt;
    else this.#last.next = attempt;
    this.#last = attempt;
    this.size += 1;
  }

  prepend(attempt: LocalAttempt): void {
    attempt.place = queued;
    // It stands first, so it must not count more passed work than the attempt behind it.
    attempt.passedFromMs = this.first?.passedFromMs ?? this.passedMs;
    attempt.previous = null;
    attempt.next = this.first;
    if (this.first === null) this.#last = attempt;
    else this.first.previous = attempt;
    this.first = attempt;
    this.size += 1;
  }

  /** The attempt must be in this queue. Its place is `gone` until the caller gives it another. */
  remove(attempt: LocalAttempt): void {
    const { previous, next } = attempt;
    if (previous === null) this.first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    attempt.previous = null;
    attempt.next = null;
    attempt.place = gone;
    this.size -= 1;
  }

  *[Symbol.iterator](): Generator<LocalAttempt> {
    for (let attempt = this.first; attempt !== null; attempt = attempt.next) yield attempt;
  }
}
