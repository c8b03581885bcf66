// Who makes the next piece of a long answer. All that are on their way out stand in one line: one piece
// is begun in a turn of the event loop, since a turn also takes in one new connection and no more; few
// are made at the same time; and none while what was made and is not yet read fills the memory for it,
// but for the first pieces of an answer: what is short never waits for slow readers of something long.

/** About what a piece takes, of a scan as of anything else. */
const pieceBytes = 64 * 1024;
/** One that looks for long through a job without results must not keep everybody else waiting. */
const mostAtOnce = 8;
/**
 * Pieces of one answer before the next has its turn, if its reader takes them at once and nobody is new.
 * Whoever waits for long leaves garbage in the part of the heap that is seldom swept.
 */
const mostInARow = 8;
/** Connections that are taken in before the next piece. */
const mostPassed = 8;

/** Stands in the line at most once. */
export interface Waiting {
  /** It is its turn: it must `end` its piece. It has left the line. */
  begin(): void;
}

export class AnswerLine {
  private readonly mostBytes: number;
  private heldBytes = 0;
  private making = 0;
  private last: Waiting | undefined;
  private inARow = 0;
  private isScheduled = false;
  private hasNewcomer = false;
  private passed = 0;
  private entered = 0;
  /** When each has come; the oldest first. */
  private readonly firsts = new Map<Waiting, number>();
  private readonly others = new Map<Waiting, number>();

  constructor(mostBytes: number) {
    this.mostBytes = mostBytes;
  }

  /** Those in the line wait for readers of before: nobody else should come. */
  get isFull(): boolean {
    return this.heldBytes >= this.mostBytes;
  }

  /** A connection was taken in: there may be more of them, and a turn without a piece is a short one. */
  letPass(): void {
    this.hasNewcomer = true;
  }

  enter(one: Waiting, isFirst: boolean): void {
    (isFirst ? this.firsts : this.others).set(one, this.entered++);
    this.schedule();
  }

  leave(one: Waiting): void {
    this.firsts.delete(one);
    this.others.delete(one);
    if (one === this.last) this.last = undefined;
  }

  end(): void {
    this.making--;
    this.schedule();
  }

  /** So many bytes more, or fewer, are made and not read. */
  hold(bytes: number): void {
    this.heldBytes += bytes;
    if (bytes < 0) this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled || this.firsts.size + this.others.size === 0) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      const isPassing = this.hasNewcomer && this.passed < mostPassed;
      this.hasNewcomer = false;
      this.passed = isPassing ? this.passed + 1 : 0;
      if (isPassing) this.schedule();
      else this.beginNext();
    });
  }

  private beginNext(): void {
    if (this.making >= mostAtOnce) return;
    const next = this.nextOne();
    if (next === undefined) return;
    this.inARow = next === this.last ? this.inARow + 1 : 1;
    this.leave(next);
    this.last = next;
    this.making++;
    next.begin();
    this.schedule();
  }

  private nextOne(): Waiting | undefined {
    const [[first, firstOrder] = [undefined, Infinity]] = this.firsts;
    const hasRoom = this.heldBytes + this.making * pieceBytes < this.mostBytes;
    if (!hasRoom) return first;
    const { last } = this;
    const goesOn = first === undefined && this.inARow < mostInARow;
    if (goesOn && last !== undefined && this.others.has(last)) return last;
    const [[other, otherOrder] = [undefined, Infinity]] = this.others;
    return otherOrder < firstOrder ? other : first;
  }
}
