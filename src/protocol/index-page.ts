// A set of indices of a page, which count from 0. While they lie in few runs the page holds the ends of the
// runs, else a bit for each index: so a range takes no more memory than its two ends.

export const pageIndices = 4096;

/** With more runs, the bits take no more memory. */
const mostRuns = 16;

export class IndexPage {
  count = 0;
  /** Begin and end of each run, alternating and ascending. Null when there are too many runs. */
  #ends: number[] | null = [];
  #bits = noBits;

  has(index: number): boolean {
    if (this.#ends !== null) return isOdd(endsBefore(this.#ends, index + 1));
    return (this.#bits[index >> 3]! & bitOf(index)) !== 0;
  }

  /** Adds all indices from `first` on and before `end`. */
  addRange(first: number, end: number): void {
    if (this.#ends === null) return this.#addBits(first, end);
    if (this.#ends.at(-1) === first) {
      // Most indices come in order.
      this.#ends[this.#ends.length - 1] = end;
      this.count += end - first;
    } else this.#set(this.#ends, first, end, false);
  }

  delete(index: number): void {
    if (this.#ends !== null) return this.#set(this.#ends, index, index + 1, true);
    if (!this.has(index)) return;
    this.#bits[index >> 3]! &= ~bitOf(index);
    this.count--;
  }

  /** The first missing index from here on, or the end of the page. */
  nextMissing(from: number): number {
    return this.#next(from, false);
  }

  /** The first index of the set from here on, or the end of the page. */
  nextPresent(from: number): number {
    return this.#next(from, true);
  }

  #next(from: number, isPresent: boolean): number {
    if (this.#ends !== null) {
      const before = endsBefore(this.#ends, from + 1);
      return isOdd(before) === isPresent ? from : (this.#ends[before] ?? pageIndices);
    }
    const without = isPresent ? 0 : 0xff;
    for (let index = from; index < pageIndices; ) {
      if (this.#bits[index >> 3] === without) index = (index | 7) + 1;
      else if (this.has(index) === isPresent) return index;
      else index++;
    }
    return pageIndices;
  }

  /** Removes the ends of runs within the range; at its borders a run may begin or end instead. */
  #set(before: readonly number[], first: number, end: number, isGone: boolean): void {
    const from = endsBefore(before, first);
    const to = endsBefore(before, end + 1);
    const cuts: number[] = [];
    if (isOdd(from) === isGone) cuts.push(first);
    if (isOdd(to) === isGone) cuts.push(end);
    // A new array: one that grows in place reserves more memory than it needs.
    const ends = before.toSpliced(from, to - from, ...cuts);
    this.#ends = ends;
    this.count = ends.reduce((sum, at, place) => sum + (isOdd(place) ? at : -at), 0);
    if (ends.length <= 2 * mostRuns) return;
    this.#ends = null;
    this.#bits = new Uint8Array(pageIndices >> 3);
    this.count = 0;
    for (let run = 0; run < ends.length; run += 2) this.#addBits(ends[run]!, ends[run + 1]!);
  }

  /** Sets up to eight bits at a time: ranges come from outside, and a step for every index would take long. */
  #addBits(first: number, end: number): void {
    for (let index = first; index < end; ) {
      const next = Math.min(end, (index | 7) + 1);
      const wanted = (0xff << (index & 7)) & (0xff >> (7 - ((next - 1) & 7)));
      for (let left = wanted & ~this.#bits[index >> 3]!; left !== 0; left &= left - 1) this.count++;
      this.#bits[index >> 3]! |= wanted;
      index = next;
    }
  }
}

const noBits = new Uint8Array(0);

function endsBefore(ends: readonly number[], index: number): number {
  const found = ends.findIndex((at) => at >= index);
  return found < 0 ? ends.length : found;
}

function isOdd(count: number): boolean {
  return count % 2 === 1;
}

function bitOf(index: number): number {
  return 1 << (index & 7);
}
