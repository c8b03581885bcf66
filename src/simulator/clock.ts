// Virtual time: what is to happen lies in a heap by its moment, in the order in which it was asked
// for where moments are equal. Nothing happens by itself.

export interface Happening {
  readonly at: number;
  readonly order: number;
  /** Null once it was cancelled. */
  run: (() => void) | null;
}

export class Clock {
  now: number;
  private readonly heap: Happening[] = [];
  private orders = 0;

  constructor(start: number) {
    this.now = start;
  }

  get isEmpty(): boolean {
    return this.heap.length === 0;
  }

  /** Runs `fn` at the moment `at`, or next when that has passed; returns what cancels it. */
  at(at: number, fn: () => void): () => void {
    const happening: Happening = { at: Math.max(at, this.now), order: this.orders++, run: fn };
    this.push(happening);
    return () => {
      happening.run = null;
    };
  }

  after(delayMs: number, fn: () => void): () => void {
    return this.at(this.now + delayMs, fn);
  }

  /** Lets the next thing happen; false when there is nothing before `until`. */
  step(until: number): boolean {
    for (;;) {
      const first = this.heap[0];
      if (first === undefined || first.at > until) return false;
      this.pop();
      if (first.run === null) continue;
      this.now = first.at;
      first.run();
      return true;
    }
  }

  private push(happening: Happening): void {
    let child = this.heap.push(happening) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (!isBefore(happening, this.heap[parent]!)) break;
      this.heap[child] = this.heap[parent]!;
      child = parent;
    }
    this.heap[child] = happening;
  }

  private pop(): void {
    const last = this.heap.pop()!;
    if (this.heap.length === 0) return;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= this.heap.length) break;
      const right = this.heap[child + 1];
      if (right !== undefined && isBefore(right, this.heap[child]!)) child++;
      if (!isBefore(this.heap[child]!, last)) break;
      this.heap[parent] = this.heap[child]!;
      parent = child;
    }
    this.heap[parent] = last;
  }
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
