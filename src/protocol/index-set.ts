// A set of task indices, in pages: a page that is full or empty takes no memory, and one with few runs little.
// So a set of nearly all tasks of a large job is small, and so is one of its first tasks or of a few ranges.

import { IndexPage, pageIndices } from './index-page.ts';

export interface IndexRange {
  readonly first: number;
  /** Part of the range. */
  readonly last: number;
}

export class IndexSet {
  size = 0;
  /** All full pages are the same object, which is never written to. */
  readonly #pages: (IndexPage | undefined)[] = [];

  has(index: number): boolean {
    return this.#pages[pageOf(index)]?.has(index % pageIndices) === true;
  }

  /** True when the index was not in the set. */
  add(index: number): boolean {
    if (this.has(index)) return false;
    this.#addToPage(pageOf(index), index % pageIndices, (index % pageIndices) + 1);
    return true;
  }

  addRange({ first, last }: IndexRange): void {
    for (let index = first; index <= last; ) {
      const number = pageOf(index);
      const start = number * pageIndices;
      const end = Math.min(last + 1, start + pageIndices);
      this.#addToPage(number, index - start, end - start);
      index = end;
    }
  }

  delete(index: number): void {
    if (!this.has(index)) return;
    const number = pageOf(index);
    let page = this.#pages[number]!;
    if (page === full) {
      page = new IndexPage();
      page.addRange(0, pageIndices);
    }
    page.delete(index % pageIndices);
    this.size--;
    this.#pages[number] = page.count === 0 ? undefined : page;
  }

  /** Removes all indices of the other set. */
  subtract(other: IndexSet): void {
    for (const [number, theirs] of other.#pages.entries()) {
      const page = this.#pages[number];
      if (page === undefined || theirs === undefined) continue;
      if (theirs === full) {
        this.size -= page.count;
        this.#pages[number] = undefined;
        continue;
      }
      let index = theirs.nextPresent(0);
      for (; index < pageIndices; index = theirs.nextPresent(index + 1)) {
        this.delete(number * pageIndices + index);
      }
    }
  }

  /** The first missing index from here on. */
  nextMissing(from: number): number {
    let index = from;
    for (;;) {
      const start = pageOf(index) * pageIndices;
      const page = this.#pages[pageOf(index)];
      if (page === undefined) return index;
      const missing = page.nextMissing(index - start);
      if (missing < pageIndices) return start + missing;
      index = start + pageIndices;
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

  #addToPage(number: number, first: number, end: number): void {
    const before = this.#pages[number]?.count ?? 0;
    if (before === pageIndices) return;
    if (end - first === pageIndices) this.#pages[number] = full;
    else {
      const page = (this.#pages[number] ??= new IndexPage());
      page.addRange(first, end);
      if (page.count === pageIndices) this.#pages[number] = full;
    }
    this.size += this.#pages[number].count - before;
  }

  #nextPresent(from: number): number | undefined {
    let index = from;
    while (pageOf(index) < this.#pages.length) {
      const start = pageOf(index) * pageIndices;
      const present = this.#pages[pageOf(index)]?.nextPresent(index - start) ?? pageIndices;
      if (present < pageIndices) return start + present;
      index = start + pageIndices;
    }
    return undefined;
  }
}

const full = new IndexPage();
full.addRange(0, pageIndices);

function pageOf(index: number): number {
  return Math.floor(index / pageIndices);
}
