import { freshIndex } from '../../core/entries.ts';
import type { EntryRecord } from '../../core/records.ts';

/**
 * The tasks of one entry, in the order of their indices, without those that this pass holds back. Held
 * tasks stay due: the next pass looks at them again.
 */
export class HeldAside {
  private readonly entry: EntryRecord;
  private readonly due: readonly number[];
  private place = 0;

  constructor(entry: EntryRecord) {
    this.entry = entry;
    this.due = entry.due.values().toSorted((a, b) => a - b);
  }

  /** The first index that is neither held back nor placed, Infinity when there is none. */
  next(): number {
    while (this.place < this.due.length && !this.entry.due.has(this.due[this.place]!)) this.place++;
    return Math.min(this.due[this.place] ?? Infinity, freshIndex(this.entry));
  }

  /** Holds back the task that `next` names. */
  hold(): void {
    this.place++;
  }
}
