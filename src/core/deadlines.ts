// Moments at which something becomes due. A deadline that no longer matters is removed at once instead
// of lying in the heap until it passes.

import { type HeapMember, MemberHeap } from './member-heap.ts';

/** Armed while it has a position. */
export interface Deadline extends HeapMember {
  readonly kind: DeadlineKind;
  /** Milliseconds since the epoch. */
  at: number;
}

export type DeadlineKind =
  /** A connected worker must have been heard of by then. */
  | 'lease'
  /** A disconnected worker must be back by then. */
  | 'grace'
  /** The pause of a quarantine is over. */
  | 'probe'
  /** A person must have let the worker in by then. */
  | 'admission'
  /** An attempt must have reported by then. */
  | 'attempt_timeout'
  /** An attempt must have reported progress by then. */
  | 'progress_timeout'
  /** A worker over plain HTTP must have fetched the assignment by then. */
  | 'delivery'
  /** A worker over plain HTTP must have named the attempt by then. */
  | 'naming'
  /** A task may be assigned again from then on. */
  | 'retry'
  /** A worker that drains must have nothing left by then. */
  | 'drain'
  /** A worker that is away must be back by then. */
  | 'away'
  /** A job that has ended was kept for long enough by then. */
  | 'retention';

export class Deadlines<D extends Deadline> {
  private readonly heap = new MemberHeap<D>((a, b) => a.at < b.at);

  get size(): number {
    return this.heap.size;
  }

  /** The earliest moment, or Infinity. */
  get next(): number {
    return this.heap.first?.at ?? Infinity;
  }

  /** Arms the deadline, or moves it when it is armed already. */
  arm(deadline: D, at: number): void {
    // Clocks tell whole milliseconds: a deadline within one is due when that one is over.
    deadline.at = Math.ceil(at);
    this.heap.place(deadline);
  }

  disarm(deadline: D): void {
    this.heap.remove(deadline);
  }

  /** The earliest deadline, if it is due. Whoever handles it disarms or moves it. */
  findDue(now: number): D | undefined {
    const { first } = this.heap;
    return first !== undefined && first.at <= now ? first : undefined;
  }

  /** Moves all deadlines alike, so that their order stays. */
  shift(byMs: number): void {
    for (const deadline of this.heap.values()) deadline.at += byMs;
  }

  /** In heap order; for invariants. */
  values(): readonly D[] {
    return this.heap.values();
  }
}
