// A quantity over time that changes at moments and is constant in between.

export interface Interval {
  readonly from: number;
  readonly to: number;
  readonly height: number;
}

export class Steps {
  /** In ascending order. */
  readonly times: readonly number[];
  /** From each of the times on; 0 before the first. */
  readonly values: readonly number[];
  /** The integral up to each of the times. */
  readonly #sums: readonly number[];

  constructor(times: readonly number[], values: readonly number[]) {
    this.times = times;
    this.values = values;
    let sum = 0;
    this.#sums = times.map((time, i) => {
      if (i > 0) sum += values[i - 1]! * (time - times[i - 1]!);
      return sum;
    });
  }

  /** The heights of all intervals in which a moment lies, together. */
  static sumOf(intervals: Iterable<Interval>): Steps {
    const changes = new Map<number, number>();
    const change = (at: number, by: number) => changes.set(at, (changes.get(at) ?? 0) + by);
    for (const { from, to, height } of intervals) {
      if (to <= from) continue;
      change(from, height);
      change(to, -height);
    }
    const times = [...changes.keys()].sort((a, b) => a - b);
    let value = 0;
    const values = times.map((time) => (value += changes.get(time)!));
    return new Steps(times, values);
  }

  /** A value for each moment, of those of two others. */
  static of(one: Steps, two: Steps, value: (one: number, two: number) => number): Steps {
    const times = [...new Set([-Infinity, ...one.times, ...two.times])].sort((a, b) => a - b);
    // What holds before all times counts from a moment that is before everything that is asked for.
    times[0] = (times[1] ?? 0) - longAgoMs;
    return new Steps(
      times,
      times.map((time) => value(one.at(time), two.at(time))),
    );
  }

  at(time: number): number {
    const place = this.#placeOf(time);
    return place < 0 ? 0 : this.values[place]!;
  }

  integral(from: number, to: number): number {
    return this.#upTo(to) - this.#upTo(from);
  }

  #upTo(time: number): number {
    const place = this.#placeOf(time);
    if (place < 0) return 0;
    return this.#sums[place]! + this.values[place]! * (time - this.times[place]!);
  }

  /** Of the last time that is not later; -1: all are. */
  #placeOf(time: number): number {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

const longAgoMs = 1e10;
