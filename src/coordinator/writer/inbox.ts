// The works that wait for the next batch, with the times of their arrival: a lease may end only when all
// messages that arrived before its end have been read. The length is not bounded here, but the inbox says
// when it is crowded: then new submissions are refused, and nothing is read from the sockets of workers.
//
// Behind the frames of a long job a request would wait until all is committed that its workers have reported. So
// while much waits, works that are short and may pass come first, and have every second batch for themselves, so
// that it is soon committed. When many may pass, every other batch takes works in the order of their arrival. Even so
// each waits for the batch that is being made, as who reads does: while such works or readers come, batches are smaller.

import type { Work } from './batch.ts';
import type { BatchSize } from './batch-size.ts';

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
/** What fills no more of a batch is not passed: one commit costs less than two. */
const shortShare = 0.25;
/** What is left of the size of a batch while somebody is in a hurry: the commit is a tenth of it then. */
const hurriedShare = 1 / 3;
/** So many batches after the last short work it is still likely that the next one comes soon. */
const hurriedBatches = 50;
/** And so many after a reader had to wait, who waits again for each piece of an answer. */
const readBatches = 10;

export class Inbox {
  private readonly marks: InboxMarks;
  private readonly passing = new WorkLine();
  private readonly others = new WorkLine();
  private arrived = 0;
  /** The newest batch was of works that may pass, though others waited. */
  private hasPassed = false;
  /** The next ones that are to be small. */
  private smallBatches = 0;
  private crowdedAt: number | undefined;
  private waiting: (() => void)[] = [];

  constructor(marks: InboxMarks = defaultMarks) {
    this.marks = marks;
  }

  get isEmpty(): boolean {
    return this.passing.first === undefined && this.others.first === undefined;
  }

  get isCrowded(): boolean {
    return this.crowdedAt !== undefined;
  }

  /** All that arrived before this time has left the inbox; undefined when everything has. */
  get heardUntil(): number | undefined {
    const oldest = this.oldestLine()?.first?.at;
    // Since then nothing is read from sockets, so messages may wait there.
    if (this.crowdedAt === undefined) return oldest;
    return Math.min(this.crowdedAt, oldest ?? Infinity);
  }

  add(work: Work, at: number): void {
    const line = work.mayPass === true ? this.passing : this.others;
    line.add({ work, at, order: this.arrived++ });
    if (this.isAbove(1)) this.crowdedAt ??= at;
  }

  /** Commands of the next batch, and placements of its pass; fewer while somebody is in a hurry. */
  sizeOf({ now, least }: BatchSize): number {
    return this.smallBatches > 0 ? Math.ceil(least * hurriedShare) : now;
  }

  /** Somebody waits for the end of a batch, to read. */
  hurry(): void {
    this.smallBatches = Math.max(this.smallBatches, readBatches);
  }

  /** For the next batch: up to about `size` commands, or a megabyte. */
  take(size: number): Work[] {
    return this.takeUpTo(size, batchBytes);
  }

  takeAll(): Work[] {
    return this.takeUpTo(Infinity, Infinity);
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
    this.passing.shiftTimes(byMs);
    this.others.shiftTimes(byMs);
    if (this.crowdedAt !== undefined) this.crowdedAt += byMs;
  }

  private takeUpTo(size: number, mostBytes: number): Work[] {
    const { passing, others } = this;
    const isLong = others.commands > size * shortShare || others.bytes > mostBytes * shortShare;
    const isHurried = isLong && passing.first !== undefined;
    this.smallBatches = isHurried ? hurriedBatches : Math.max(0, this.smallBatches - 1);
    this.hasPassed = !this.hasPassed && isHurried;
    // Either all that may pass are taken, or none passes: what may not must not pass them either.
    const passesAll = isLong && passing.commands * 2 <= size && passing.bytes * 2 <= mostBytes;
    const works: Work[] = [];
    let taken = 0;
    let bytes = 0;
    while (taken < size && bytes < mostBytes) {
      const mayPass = this.hasPassed || (passesAll && passing.first !== undefined);
      const work = (mayPass ? passing : this.oldestLine())?.shift();
      if (work === undefined) break;
      works.push(work);
      taken += work.size;
      bytes += work.bytes ?? 0;
    }
    return works;
  }

  /** Undefined when nothing waits. */
  private oldestLine(): WorkLine | undefined {
    const [a, b] = [this.passing.first, this.others.first];
    if (a === undefined) return b && this.others;
    return b === undefined || a.order < b.order ? this.passing : this.others;
  }

  private isAbove(share: number): boolean {
    const { passing, others, marks } = this;
    const commands = passing.commands + others.commands;
    const bytes = passing.bytes + others.bytes;
    return commands > marks.commands * share || bytes > marks.bytes * share;
  }
}

interface Waiting {
  readonly work: Work;
  readonly at: number;
  /** Rises from arrival to arrival. */
  readonly order: number;
}

/** Works in the order of their arrival. Taking one does not move the others. */
class WorkLine {
  commands = 0;
  bytes = 0;
  private items: Waiting[] = [];
  private head = 0;

  get first(): Waiting | undefined {
    return this.items[this.head];
  }

  add(item: Waiting): void {
    this.items.push(item);
    this.commands += item.work.size;
    this.bytes += item.work.bytes ?? 0;
  }

  shift(): Work | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.commands -= first.work.size;
    this.bytes -= first.work.bytes ?? 0;
    this.head++;
    if (this.head === this.items.length || this.head > keptPlaces) {
      this.items.splice(0, this.head);
      this.head = 0;
    }
    return first.work;
  }

  shiftTimes(byMs: number): void {
    this.items = this.items
      .slice(this.head)
      .map(({ work, at, order }) => ({ work, at: at + byMs, order }));
    this.head = 0;
  }
}

/** Places of works that were taken, before the others move up. */
const keptPlaces = 512;
