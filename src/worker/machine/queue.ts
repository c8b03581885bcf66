// The local queue: attempts that are assigned to this worker and handed to no slot yet, the more important
// first, and of equal ones that which came first. A linked list through the attempts themselves, because a
// recall or a cancel takes them out of the middle.

import type { LocalAttempt } from './local-attempt.ts';

const queued = { at: 'queued' } as const;
const gone = { at: 'gone' } as const;

/** The attempts of one priority; they stand side by side. */
interface Rank {
  readonly priority: number;
  last: LocalAttempt;
}

export class AttemptQueue {
  size = 0;
  /** Sum of the expected work of all attempts that passed another one; only rises. */
  passedMs = 0;
  first: LocalAttempt | null = null;
  /** In the order of the queue. Mostly there is one. */
  readonly #ranks: Rank[] = [];

  /** Behind all that are as important. */
  append(attempt: LocalAttempt): void {
    const place = this.#ranksFrom(attempt.priority);
    const rank = this.#ranks[place - 1];
    this.#insert(attempt, rank?.last ?? null);
    if (rank?.priority === attempt.priority) rank.last = attempt;
    else this.#ranks.splice(place, 0, { priority: attempt.priority, last: attempt });
  }

  /** Before all that are as important. */
  prepend(attempt: LocalAttempt): void {
    const { priority } = attempt;
    const place = this.#ranksAbove(priority);
    this.#insert(attempt, this.#ranks[place - 1]?.last ?? null);
    if (this.#ranks[place]?.priority === priority) return;
    this.#ranks.splice(place, 0, { priority, last: attempt });
  }

  /** The attempt must be in this queue. Its place is `gone` until the caller gives it another. */
  remove(attempt: LocalAttempt): void {
    const { previous, next } = attempt;
    this.#leaveRank(attempt);
    if (previous === null) this.first = next;
    else previous.next = next;
    if (next !== null) next.previous = previous;
    attempt.previous = null;
    attempt.next = null;
    attempt.place = gone;
    this.size -= 1;
  }

  *[Symbol.iterator](): Generator<LocalAttempt> {
    for (let attempt = this.first; attempt !== null; attempt = attempt.next) yield attempt;
  }

  #insert(attempt: LocalAttempt, previous: LocalAttempt | null): void {
    const next = previous === null ? this.first : previous.next;
    attempt.place = queued;
    // It must not count more passed work than the attempt behind it.
    attempt.passedFromMs = next?.passedFromMs ?? this.passedMs;
    attempt.previous = previous;
    attempt.next = next;
    if (previous === null) this.first = attempt;
    else previous.next = attempt;
    if (next !== null) next.previous = attempt;
    this.size += 1;
  }

  #leaveRank(attempt: LocalAttempt): void {
    const place = this.#ranksAbove(attempt.priority);
    const rank = this.#ranks[place]!;
    if (rank.last !== attempt) return;
    if (attempt.previous?.priority === attempt.priority) rank.last = attempt.previous;
    else this.#ranks.splice(place, 1);
  }

  /** How many ranks are at least as important. */
  #ranksFrom(priority: number): number {
    const place = this.#ranksAbove(priority);
    return this.#ranks[place]?.priority === priority ? place + 1 : place;
  }

  #ranksAbove(priority: number): number {
    let count = 0;
    while ((this.#ranks[count]?.priority ?? -Infinity) > priority) count++;
    return count;
  }
}
