// Indices of tasks, a bit each, in pages: a page that is full, or empty, takes no room. So a set of nearly
// all tasks of a large job is small, and so is one of its first.

const pageIndices = 4096;

interface Page {
  readonly bits: Uint8Array;
  count: number;
}

/** Never written to. */
const full: Page = { bits: new Uint8Array(pageIndices >> 3).fill(0xff), count: pageIndices };

export interface IndexRange {
  readonly first: number;
  /** The range includes it. */
  readonly last: number;
}

export class IndexSet {
  size = 0;
  readonly #pages: (Page | undefined)[] = [];

  has(index: number): boolean {
    const page = this.#pages[pageOf(index)];
    return page !== undefined && (page.bits[byteOf(index)]! & bitOf(index)) !== 0;
  }

  /** True when it was not there. */
  add(index: number): boolean {
    if (this.has(index)) return false;
    const number = pageOf(index);
    const page = (this.#pages[number] ??= { bits: new Uint8Array(pageIndices >> 3), count: 0 });
    page.bits[byteOf(index)]! |= bitOf(index);
    page.count++;
    this.size++;
    if (page.count === pageIndices) this.#pages[number] = full;
    return true;
  }

  addRange({ first, last }: IndexRange): void {
    for (let index = first; index <= last; ) {
      if (index % pageIndices === 0 && index + pageIndices <= last + 1) {
        this.size += pageIndices - (this.#pages[pageOf(index)]?.count ?? 0);
        this.#pages[pageOf(index)] = full;
        index += pageIndices;
      } else if (index % 8 === 0 && index + 8 <= last + 1) {
        this.#fillByte(index);
        index += 8;
      } else this.add(index++);
    }
  }

  delete(index: number): void {
    if (!this.has(index)) return;
    const number = pageOf(index);
    const page = this.#pages[number]!;
    const mine = page === full ? { bits: full.bits.slice(), count: pageIndices } : page;
    mine.bits[byteOf(index)]! &= ~bitOf(index);
    mine.count--;
    this.size--;
    this.#pages[number] = mine.count === 0 ? undefined : mine;
  }

  /** The first from here on that is not there. */
  nextMissing(from: number): number {
    let index = from;
    for (;;) {
      const page = this.#pages[pageOf(index)];
      if (page === undefined) return index;
      const end = (pageOf(index) + 1) * pageIndices;
      if (page === full) index = end;
      while (index < end) {
        const byte = page.bits[byteOf(index)]!;
        if (byte === 0xff) index = (index | 7) + 1;
        else if ((byte & bitOf(index)) === 0) return index;
        else index++;
      }
    }
  }

  *ranges(): Generator<IndexRange> {
    let first = this.#nextPresent(0);
    while (first !== undefined) {
      const end = this.nextMissing(first);
      yield { first, last: end - 1 };
      first = this.#nextPresent(end);
    }
  }

  /** Many ranges come from outside: a step for every index would take long. */
  #fillByte(index: number): void {
    const number = pageOf(index);
    const page = (this.#pages[number] ??= { bits: new Uint8Array(pageIndices >> 3), count: 0 });
    let added = 0;
    for (let left = ~page.bits[byteOf(index)]! & 0xff; left !== 0; left &= left - 1) added++;
    if (added === 0) return;
    page.bits[byteOf(index)] = 0xff;
    page.count += added;
    this.size += added;
    if (page.count === pageIndices) this.#pages[number] = full;
  }

  #nextPresent(from: number): number | undefined {
    let index = from;
    while (pageOf(index) < this.#pages.length) {
      const page = this.#pages[pageOf(index)];
      const end = (pageOf(index) + 1) * pageIndices;
      if (page === undefined) {
        index = end;
        continue;
      }
      while (index < end) {
        const byte = page.bits[byteOf(index)]!;
        if (byte === 0) index = (index | 7) + 1;
        else if ((byte & bitOf(index)) !== 0) return index;
        else index++;
      }
    }
    return undefined;
  }
}

function pageOf(index: number): number {
  return Math.floor(index / pageIndices);
}

function byteOf(index: number): number {
  return (index % pageIndices) >> 3;
}

function bitOf(index: number): number {
  return 1 << (index & 7);
}
