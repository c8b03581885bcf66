// Moments at which something becomes due, in a binary heap whose members know their place, so that a
// deadline that no longer matters is removed at once instead of lying in the heap until it passes.

export interface Deadline {
  readonly kind: DeadlineKind;
  /** Milliseconds since the epoch. */
  at: number;
  /** Place in the heap, -1 when not armed. */
  position: number;
}

export type DeadlineKind =
  /** A connected worker must have been heard of by then. */
  | 'lease'
  /** A disconnected worker must be back by then. */
  | 'grace'
  /** The pause of a quarantine is over. */
  | 'probe'
  /** An attempt must have reported by then. */
  | 'attempt_timeout'
  /** An attempt must have reported progress by then. */
  | 'progress_timeout'
  /** An assignment must have been asked for by then. */
  | 'delivery'
  /** A worker that asks for its work must have named the attempt by then. */
  | 'naming'
  /** A task may be assigned again from then on. */
  | 'retry';

export class Deadlines<D extends Deadline> {
  private readonly heap: D[] = [];

  get size(): number {
    return this.heap.length;
  }

  /** The earliest moment, or Infinity. */
  get next(): number {
    return this.heap[0]?.at ?? Infinity;
  }

  /** Arms the deadline, or moves it when it is armed already. */
  arm(deadline: D, at: number): void {
    // Clocks tell whole milliseconds: what is due within one is due when it is over.
    deadline.at = Math.ceil(at);
    if (deadline.position < 0) {
      deadline.position = this.heap.length;
      this.heap.push(deadline);
    }
    this.up(deadline.position);
    this.down(deadline.position);
  }

  disarm(deadline: D): void {
    const hole = deadline.position;
    if (hole < 0) return;
    deadline.position = -1;
    const last = this.heap.pop()!;
    if (last === deadline) return;
    this.heap[hole] = last;
    last.position = hole;
    this.up(hole);
    this.down(last.position);
  }

  /** The earliest deadline, if it is due. Whoever handles it disarms or moves it. */
  findDue(now: number): D | undefined {
    const first = this.heap[0];
    return first !== undefined && first.at <= now ? first : undefined;
  }

  /** All of them, so that their order stays. */
  shift(byMs: number): void {
    for (const deadline of this.heap) deadline.at += byMs;
  }

  /** In heap order; for invariants. */
  values(): readonly D[] {
    return this.heap;
  }

  private up(start: number): void {
    let child = start;
    const moved = this.heap[child]!;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = this.heap[parent]!;
      if (above.at <= moved.at) break;
      this.heap[child] = above;
      above.position = child;
      child = parent;
    }
    this.heap[child] = moved;
    moved.position = child;
  }

  private down(start: number): void {
    let parent = start;
    const moved = this.heap[parent]!;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= this.heap.length) break;
      if (child + 1 < this.heap.length && this.heap[child + 1]!.at < this.heap[child]!.at) child++;
      const below = this.heap[child]!;
      if (below.at >= moved.at) break;
      this.heap[parent] = below;
      below.position = parent;
      parent = child;
    }
    this.heap[parent] = moved;
    moved.position = parent;
  }
}
