// Runs so many works at a time; the others wait in the order in which they came.

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
      // The next work in line takes the place over; without one the place becomes free.
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}
