// So many at a time; the rest waits in the order in which it came.

export class Bounded {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(most: number) {
    this.free = most;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => void this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place passes on, or becomes free.
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}
