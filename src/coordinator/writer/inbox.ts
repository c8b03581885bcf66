// What waits for the next batch, with the moment when it came: a worker is silent only as far as its
// messages have been read. Its length is not bounded here, but it says when too much waits: new work is
// refused then, and nothing more is read from the sockets of workers, until it has eased.

import type { Work } from './batch.ts';

/** From here on too much waits. */
export interface InboxMarks {
  readonly commands: number;
  /** Of frames, and of requests with what they submit. */
  readonly bytes: number;
}

/** About a second of work; many workers that report at once are no crowd. */
const defaultMarks: InboxMarks = { commands: 50_000, bytes: 64 * 1024 * 1024 };
/** It has eased when no more than this share is left. */
const easedShare = 0.5;

export class Inbox {
  private readonly marks: InboxMarks;
  private works: Work[] = [];
  private arrivals: number[] = [];
  private commands = 0;
  private bytes = 0;
  private crowdedAt: number | undefined;
  private waiting: (() => void)[] = [];

  constructor(marks: InboxMarks = defaultMarks) {
    this.marks = marks;
  }

  get isEmpty(): boolean {
    return this.works.length === 0;
  }

  get isCrowded(): boolean {
    return this.crowdedAt !== undefined;
  }

  /** What was said up to this moment has left the inbox; undefined for everything that was said. */
  get heardUntil(): number | undefined {
    const oldest = this.arrivals[0];
    // Who was not read since may have said anything.
    if (this.crowdedAt === undefined) return oldest;
    return Math.min(this.crowdedAt, oldest ?? Infinity);
  }

  add(work: Work, at: number): void {
    this.works.push(work);
    this.arrivals.push(at);
    this.commands += work.size;
    this.bytes += work.bytes ?? 0;
    if (this.isAbove(1)) this.crowdedAt ??= at;
  }

  /** The first of them, up to about `size` commands. */
  take(size: number): Work[] {
    let taken = 0;
    let count = 0;
    while (count < this.works.length && taken < size) taken += this.works[count++]!.size;
    if (count === this.works.length) return this.takeAll();
    this.arrivals.splice(0, count);
    const works = this.works.splice(0, count);
    this.commands -= taken;
    for (const { bytes = 0 } of works) this.bytes -= bytes;
    return works;
  }

  takeAll(): Work[] {
    const all = this.works;
    this.works = [];
    this.arrivals = [];
    this.commands = 0;
    this.bytes = 0;
    return all;
  }

  /** When it has eased: since when it had been crowded. Whoever waits for that goes on. */
  ease(): number | undefined {
    if (this.crowdedAt === undefined || this.isAbove(easedShare)) return undefined;
    const since = this.crowdedAt;
    this.crowdedAt = undefined;
    const { waiting } = this;
    this.waiting = [];
    for (const goOn of waiting) goOn();
    return since;
  }

  /** Resolves when it is not crowded, or not any more. */
  async eased(): Promise<void> {
    if (this.crowdedAt !== undefined) {
      await new Promise<void>((resolve) => void this.waiting.push(resolve));
    }
  }

  /** The clock was set. */
  shift(byMs: number): void {
    this.arrivals = this.arrivals.map((at) => at + byMs);
    if (this.crowdedAt !== undefined) this.crowdedAt += byMs;
  }

  private isAbove(share: number): boolean {
    const { commands, bytes } = this.marks;
    return this.commands > commands * share || this.bytes > bytes * share;
  }
}
