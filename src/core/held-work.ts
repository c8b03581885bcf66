// What a worker holds, counted by the priority by which it runs it: what has a lower one does not stand in the way of
// a task that passes it.

/** Attempts of one priority. */
export interface WorkShare {
  readonly count: number;
  /** Run time that they were expected to take when they were assigned. */
  readonly expectedMs: number;
}

interface Share {
  readonly priority: number;
  count: number;
  expectedMs: number;
}

const nothing: WorkShare = { count: 0, expectedMs: 0 };

export class HeldWork {
  /** In order of falling priority, none empty. Mostly there is one. */
  readonly #shares: Share[] = [];

  add(priority: number, expectedMs: number): void {
    const place = this.#placeOf(priority);
    const share = this.#shares[place];
    if (share?.priority === priority) {
      share.count++;
      share.expectedMs += expectedMs;
    } else {
      this.#shares.splice(place, 0, { priority, count: 1, expectedMs });
    }
  }

  /** It must have been added. */
  remove(priority: number, expectedMs: number): void {
    const place = this.#placeOf(priority);
    const share = this.#shares[place]!;
    share.count--;
    share.expectedMs -= expectedMs;
    if (share.count === 0) this.#shares.splice(place, 1);
  }

  /** What a task of this priority does not pass. */
  from(priority: number): WorkShare {
    const [first] = this.#shares;
    if (first === undefined || first.priority < priority) return nothing;
    if (this.#shares.length === 1) return first;
    let count = 0;
    let expectedMs = 0;
    for (const share of this.#shares) {
      if (share.priority < priority) break;
      count += share.count;
      expectedMs += share.expectedMs;
    }
    return { count, expectedMs };
  }

  /** The first place that does not have a higher priority. */
  #placeOf(priority: number): number {
    let place = 0;
    while ((this.#shares[place]?.priority ?? -Infinity) > priority) place++;
    return place;
  }
}
