import { freshIndex, type EntryRecord } from '../../core/records.ts';

/**
 * An entry of which tasks are held aside, in the order of its indices. Between passes they are due like
 * any other: what they wait for may have come.
 */
export class HeldAside {
  private readonly entry: EntryRecord;
  private readonly due: readonly number[];
  private place = 0;

  constructor(entry: EntryRecord) {
    this.entry = entry;
    this.due = entry.due.values().toSorted((a, b) => a - b);
  }

  /** The first index that is neither held nor placed, Infinity when there is none. */
  next(): number {
    while (this.place < this.due.length && !this.entry.due.has(this.due[this.place]!)) this.place++;
    return Math.min(this.due[this.place] ?? Infinity, freshIndex(this.entry));
  }

  /** The one that `next` tells waits on. */
  hold(): void {
    this.place++;
  }
}
