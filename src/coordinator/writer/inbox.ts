// The works that wait for the next batch, with the times of their arrival: a lease may end only when all
// messages that arrived before its end have been read. The length is not bounded here, but the inbox says
// when it is crowded: then new submissions are refused, and nothing is read from the sockets of workers.

import type { Work } from './batch.ts';

/** Above either mark the inbox is crowded. */
export interface InboxMarks {
  readonly commands: number;
  /** Bytes of frames, and of requests with what they submit. */
  readonly bytes: number;
}

/** About a second of work, so that many workers that report at once do not crowd it. */
const defaultMarks: InboxMarks = { commands: 50_000, bytes: 64 * 1024 * 1024 };
/**
 * A batch takes no more works when it has so many bytes of them: to write them takes some milliseconds, and about as
 * much to wait for the disk.
 */
const batchBytes = 1024 * 1024;
/** The inbox is no longer crowded when this share of the marks is left. */
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

  /** All that arrived before this time has left the inbox; undefined when everything has. */
  get heardUntil(): number | undefined {
    const oldest = this.arrivals[0];
    // Since then nothing is read from sockets, so messages may wait there.
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

  /** The oldest works, up to about `size` commands, or a megabyte. */
  take(size: number): Work[] {
    let taken = 0;
    let bytes = 0;
    let count = 0;
    while (count < this.works.length && taken < size && bytes < batchBytes) {
      const work = this.works[count++]!;
      taken += work.size;
      bytes += work.bytes ?? 0;
    }
    if (count === this.works.length) return this.takeAll();
    this.arrivals.splice(0, count);
    this.commands -= taken;
    this.bytes -= bytes;
    return this.works.splice(0, count);
  }

  takeAll(): Work[] {
    const all = this.works;
    this.works = [];
    this.arrivals = [];
    this.commands = 0;
    this.bytes = 0;
    return all;
  }

  /** When the inbox is no longer crowded: wakes those that wait for it, and returns since when it was. */
  ease(): number | undefined {
    if (this.crowdedAt === undefined || this.isAbove(easedShare)) return undefined;
    const since = this.crowdedAt;
    this.crowdedAt = undefined;
    const { waiting } = this;
    this.waiting = [];
    for (const goOn of waiting) goOn();
    return since;
  }

  /** Resolves when the inbox is not crowded. */
  async eased(): Promise<void> {
    if (this.crowdedAt !== undefined) {
      await new Promise<void>((resolve) => void this.waiting.push(resolve));
    }
  }

  /** The clock was set by so much. */
  shift(byMs: number): void {
    this.arrivals = this.arrivals.map((at) => at + byMs);
    if (this.crowdedAt !== undefined) this.crowdedAt += byMs;
  }

  private isAbove(share: number): boolean {
    const { commands, bytes } = this.marks;
    return this.commands > commands * share || this.bytes > bytes * share;
  }
}
