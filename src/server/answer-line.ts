// Who makes the next piece of a long answer. All that are on their way out stand in one line: one piece
// is begun in a turn of the event loop, since a turn also takes in one new connection and no more; few
// are made at the same time; and none while what was made and is not yet read fills the memory for it,
// but for the first pieces of an answer: what is short never waits for slow readers of something long.

/** About what a piece takes, of a scan as of anything else. */
const pieceBytes = 64 * 1024;
/** One that looks for long through a job without results must not keep everybody else waiting. */
const mostAtOnce = 8;
/** Connections that are taken in before the next piece. */
const mostPassed = 8;

interface Waiting {
  readonly order: number;
  readonly begin: () => void;
}

export class AnswerLine {
  private readonly mostBytes: number;
  private heldBytes = 0;
  private making = 0;
  private isScheduled = false;
  private hasNewcomer = false;
  private passed = 0;
  private entered = 0;
  private readonly firsts = new Set<Waiting>();
  private readonly others = new Set<Waiting>();

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

  /** Calls `begin` when it is this one's turn; it must `end` its piece. The answer leaves the line. */
  enter(begin: () => void, isFirst: boolean): () => void {
    const one: Waiting = { order: this.entered++, begin };
    const line = isFirst ? this.firsts : this.others;
    line.add(one);
    this.schedule();
    return () => void line.delete(one);
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
    const [first] = this.firsts;
    const [other] = this.others;
    const hasRoom = this.heldBytes + this.making * pieceBytes < this.mostBytes;
    const isFirst = !hasRoom || other === undefined || (first?.order ?? Infinity) < other.order;
    const next = isFirst ? first : other;
    if (next === undefined) return;
    (isFirst ? this.firsts : this.others).delete(next);
    this.making++;
    next.begin();
    this.schedule();
  }
}
