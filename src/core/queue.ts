// The queue of open work. It is made of entries, not of tasks: a job of a million tasks is one entry
// with a cursor. Entries that the same workers may run share a lane, so that a lane which nobody
// may run now is passed over in one step and blocks nobody.

import type { EntryRecord, JobRecord, Requirements } from './records.ts';
import { nextIndex } from './entries.ts';

export type QueueOrder = 'submission' | 'priority';

/** Entries with equal requirements, in queue order. */
export interface Lane {
  readonly signature: string;
  readonly kind: string;
  readonly requirements: Requirements | null;
  /** The first `head` places are empty; a queue is mostly taken from its front. */
  readonly entries: EntryRecord[];
  head: number;
}

export class Queue {
  private inForce: QueueOrder = 'submission';
  private readonly lanesBySignature = new Map<string, Lane>();

  get order(): QueueOrder {
    return this.inForce;
  }

  lanes(): Iterable<Lane> {
    return this.lanesBySignature.values();
  }

  get isEmpty(): boolean {
    return this.lanesBySignature.size === 0;
  }

  /** Re-sorts entries; costs nothing when the order stays. */
  setOrder(order: QueueOrder): void {
    if (order === this.inForce) return;
    this.inForce = order;
    for (const lane of this.lanesBySignature.values()) {
      lane.entries.splice(0, lane.head);
      lane.head = 0;
      lane.entries.sort((a, b) => this.compare(a, b));
    }
  }

  add(entry: EntryRecord): void {
    const lane = this.laneOf(entry.job);
    const { entries } = lane;
    let low = lane.head;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.compare(entries[middle]!, entry) <= 0) low = middle + 1;
      else high = middle;
    }
    if (low === lane.head && lane.head > 0) entries[--lane.head] = entry;
    else entries.splice(low, 0, entry);
    entry.queued = true;
  }

  remove(entry: EntryRecord): void {
    const lane = this.laneOf(entry.job);
    const { entries } = lane;
    const place = entries[lane.head] === entry ? lane.head : entries.indexOf(entry, lane.head);
    entry.queued = false;
    if (place < 0) return;
    if (place === lane.head) takeFirst(lane);
    else entries.splice(place, 1);
    if (lane.head === entries.length) this.lanesBySignature.delete(lane.signature);
  }

  /** The first entry of a lane; in submission order, of one job's entries that with the smallest index. */
  first(lane: Lane): EntryRecord | undefined {
    let best = lane.entries[lane.head];
    if (best === undefined || this.order === 'priority') return best;
    for (let i = lane.head + 1; i < lane.entries.length; i++) {
      const entry = lane.entries[i]!;
      if (entry.job !== best.job) break;
      if (nextIndex(entry) < nextIndex(best)) best = entry;
    }
    return best;
  }

  /** Negative when `a` comes first. */
  compare(a: EntryRecord, b: EntryRecord): number {
    if (this.order === 'priority' && a.priority !== b.priority) return b.priority - a.priority;
    return a.job.spec.key - b.job.spec.key;
  }

  clear(): void {
    for (const lane of this.lanesBySignature.values()) {
      for (let i = lane.head; i < lane.entries.length; i++) lane.entries[i]!.queued = false;
    }
    this.lanesBySignature.clear();
  }

  private laneOf(job: JobRecord): Lane {
    const { programKind, requirements } = job.spec;
    const signature =
      requirements === null ? programKind : `${programKind} ${JSON.stringify(requirements)}`;
    let lane = this.lanesBySignature.get(signature);
    if (lane === undefined) {
      lane = { signature, kind: programKind, requirements, entries: [], head: 0 };
      this.lanesBySignature.set(signature, lane);
    }
    return lane;
  }
}

function takeFirst(lane: Lane): void {
  lane.head++;
  if (lane.head < 512 || lane.head * 2 < lane.entries.length) return;
  lane.entries.splice(0, lane.head);
  lane.head = 0;
}
