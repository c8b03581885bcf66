// The queue of the long answers: it decides which of them makes its next piece. One piece is begun
// in a turn of the event loop, because a turn also accepts only one new connection. Few pieces are
// made at the same time, and none while pieces that are not read yet fill the memory for them;
// except the first pieces of an answer, so that short answers never wait for slow readers of long
// ones.

/** About the size of a piece. */
const pieceBytes = 64 * 1024;
/** More than one: a piece that scans a large job without results must not block all others. */
const mostAtOnce = 8;
/**
 * Pieces of one answer in a row, if its reader takes them at once and no new answer waits. An answer that
 * waits for long gets its objects promoted to the old part of the heap, which is collected seldom.
 */
const mostInARow = 8;
/** Connections that are accepted before the next piece, at most. */
const mostPassed = 8;

/** An answer that waits for its next piece; it is in the queue at most once. */
export interface Waiting {
  /** Its turn has come and it has left the queue. It makes a piece and must call `end`. */
  begin(): void;
}

export class AnswerQueue {
  private readonly mostBytes: number;
  private heldBytes = 0;
  private making = 0;
  private last: Waiting | undefined;
  private inARow = 0;
  private isScheduled = false;
  private hasNewcomer = false;
  private passed = 0;
  private entered = 0;
  /**
   * Answers by the order in which they came, the oldest first. `firsts`: for one of their first
   * pieces.
   */
  private readonly firsts = new Map<Waiting, number>();
  private readonly others = new Map<Waiting, number>();

  constructor(mostBytes: number) {
    this.mostBytes = mostBytes;
  }

  /** The unread pieces fill their memory: no new answer should begin. */
  get isFull(): boolean {
    return this.heldBytes >= this.mostBytes;
  }

  /** A connection was accepted. More may be waiting, so the next turn goes without a piece. */
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

  /** The unread pieces grew by so many bytes, or shrank. */
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
