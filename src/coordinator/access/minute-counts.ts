// How often something happened within the last minute, by name, to a second. Names of which nothing happened for a
// minute take no room.

const seconds = 60;

interface Count {
  /** By second of the minute; `newest` is the last one that counts. */
  readonly ring: Uint32Array;
  newest: number;
  sum: number;
}

export class MinuteCounts {
  private readonly counts = new Map<string, Count>();
  private sweepAt = 1_000;

  add(name: string, at: number): void {
    const count = this.find(name, at) ?? this.begin(name, at);
    count.ring[count.newest % seconds]!++;
    count.sum++;
  }

  of(name: string, at: number): number {
    return this.find(name, at)?.sum ?? 0;
  }

  /** In how many seconds there are fewer than so many, at least 1. */
  secondsUntilBelow(bound: number, name: string, at: number): number {
    const count = this.find(name, at);
    if (count === undefined) return 1;
    let left = count.sum;
    for (let passed = 1; passed < seconds; passed++) {
      left -= count.ring[(count.newest + passed) % seconds]!;
      if (left < bound) return passed;
    }
    return seconds;
  }

  private begin(name: string, at: number): Count {
    if (this.counts.size >= this.sweepAt) this.sweep(at);
    const count = { ring: new Uint32Array(seconds), newest: secondOf(at), sum: 0 };
    this.counts.set(name, count);
    return count;
  }

  /** As it is now: what is older than a minute has left it. A clock that is set back stands still meanwhile. */
  private find(name: string, at: number): Count | undefined {
    const count = this.counts.get(name);
    if (count === undefined) return undefined;
    const now = secondOf(at);
    const passed = Math.min(now - count.newest, seconds);
    for (let i = 1; i <= passed; i++) {
      const place = (count.newest + i) % seconds;
      count.sum -= count.ring[place]!;
      count.ring[place] = 0;
    }
    count.newest = Math.max(count.newest, now);
    return count;
  }

  private sweep(at: number): void {
    for (const [name, { newest }] of this.counts) {
      if (newest + seconds <= secondOf(at)) this.counts.delete(name);
    }
    this.sweepAt = Math.max(1_000, 2 * this.counts.size);
  }
}

function secondOf(at: number): number {
  return Math.floor(at / 1_000);
}
