// What waits for the next batch, with the moment when it came: a worker is silent only as far as its
// messages have been read.

import type { Work } from './batch.ts';

export class Inbox {
  private works: Work[] = [];
  private arrivals: number[] = [];

  get isEmpty(): boolean {
    return this.works.length === 0;
  }

  /** When the first of those that wait came, undefined when nothing waits. */
  get oldestAt(): number | undefined {
    return this.arrivals[0];
  }

  add(work: Work, at: number): void {
    this.works.push(work);
    this.arrivals.push(at);
  }

  /** The first of them, up to about `size` commands. */
  take(size: number): Work[] {
    let taken = 0;
    let count = 0;
    while (count < this.works.length && taken < size) taken += this.works[count++]!.size;
    if (count === this.works.length) return this.takeAll();
    this.arrivals.splice(0, count);
    return this.works.splice(0, count);
  }

  /** The clock was set. */
  shift(byMs: number): void {
    this.arrivals = this.arrivals.map((at) => at + byMs);
  }

  takeAll(): Work[] {
    const all = this.works;
    this.works = [];
    this.arrivals = [];
    return all;
  }
}
