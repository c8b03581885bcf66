// Virtual time: future calls are in a heap by their moment, and in the order in which they were
// added where moments are equal. Nothing happens by itself.

import { type HeapMember, MemberHeap } from '../core/member-heap.ts';

export interface Happening extends HeapMember {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

export class Clock {
  now: number;
  private readonly heap = new MemberHeap(isBefore);
  private orders = 0;

  constructor(start: number) {
    this.now = start;
  }

  get isEmpty(): boolean {
    return this.heap.size === 0;
  }

  /** Runs `fn` at the moment `at`, or next when that has passed; returns a function that cancels it. */
  at(at: number, fn: () => void): () => void {
    const order = this.orders++;
    const happening: Happening = { at: Math.max(at, this.now), order, run: fn, position: -1 };
    this.heap.place(happening);
    return () => this.heap.remove(happening);
  }

  after(delayMs: number, fn: () => void): () => void {
    return this.at(this.now + delayMs, fn);
  }

  /** Makes the next call; false when there is none before `until`. */
  step(until: number): boolean {
    const first = this.heap.first;
    if (first === undefined || first.at > until) return false;
    this.heap.remove(first);
    this.now = first.at;
    first.run();
    return true;
  }
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
