// Whether the process was there to listen. It may be stopped and continued, suspended with its machine,
// or held up by the disk; what workers said meanwhile lies somewhere between them and us, and some of
// it may never come. Nobody may be taken for silent because of that.

/** A loop that is well is never so late for a timer. */
const lateMs = 250;

export class Attention {
  private readonly stallMs: number;
  private lastAt: number;
  private isMissing = false;

  /** Workers that beat in time can bear a pause up to `stallMs`. */
  constructor(stallMs: number, now: number) {
    this.stallMs = stallMs;
    this.lastAt = now;
  }

  /** The loop is awake. It should have been so at `dueAt`, if that has passed. */
  wake(now: number, dueAt: number): void {
    const isLate = now - dueAt > lateMs;
    if (isLate && now - this.lastAt > this.stallMs) this.isMissing = true;
    this.lastAt = now;
  }

  /** The clock was set. */
  shift(byMs: number): void {
    this.lastAt += byMs;
  }

  /** Nothing was read from one moment to the other: a commit took so long, or too much waited. */
  held(from: number, to: number): void {
    if (to - from > this.stallMs) this.isMissing = true;
    this.lastAt = to;
  }

  /** True once after something may have been missed. */
  takeMissing(): boolean {
    const isMissing = this.isMissing;
    this.isMissing = false;
    return isMissing;
  }
}
