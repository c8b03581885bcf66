// The only source of chance in a simulation. Everything that happens follows from the seed.

export class Prng {
  private state: number;

  constructor(seed: number) {
    this.state = (seed ^ 0x9e3779b9) >>> 0;
    for (let i = 0; i < 8; i++) this.next();
  }

  /** Uniform in [0, 1); mulberry32. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)]!;
  }

  /** Uniform in the logarithm, because delays and run times spread over orders of magnitude. */
  spread(low: number, high: number): number {
    return low * (high / low) ** this.next();
  }

  hex(characters: number): string {
    let text = '';
    while (text.length < characters) text += this.integer(0, 15).toString(16);
    return text;
  }
}
