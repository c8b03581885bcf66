// Notices when the coordinator itself could not listen: the process was stopped and continued, suspended
// with its machine, or held up by the disk. Messages that workers sent meanwhile may still be on their way,
// and some may never come. No worker may be taken for silent because of that.

/** A healthy loop is never this late for a timer. */
const lateMs = 250;

export class Attention {
  private readonly stallMs: number;
  private lastAt: number;
  private isMissing = false;

  /** A pause of up to `stallMs` does no harm to workers that send heartbeats in time. */
  constructor(stallMs: number, now: number) {
    this.stallMs = stallMs;
    this.lastAt = now;
  }

  /**
   * When the loop must run next, so that it knows at the deadline whether it has listened until then: once a
   * bearable pause before the deadline, and at the deadline.
   */
  lookUpBefore(deadline: number): number {
    const early = deadline - this.stallMs;
    return early > this.lastAt ? early : deadline;
  }

  /** The loop runs at `now`, where `deadline` is the first one. */
  wake(now: number, deadline: number): void {
    const isLate = now - this.lookUpBefore(deadline) > lateMs;
    if (isLate && now - this.lastAt > this.stallMs) this.isMissing = true;
    this.lastAt = now;
  }

  /** The clock was set by so much. */
  shift(byMs: number): void {
    this.lastAt += byMs;
  }

  /** Nothing was read between the two times: a commit took so long, or the inbox was crowded. */
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
