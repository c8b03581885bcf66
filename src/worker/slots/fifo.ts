// A queue (first in, first out) that does not move its items: `Array.shift` takes time for all of
// them.

export class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Puts an item before all others. */
  unshift(item: T): void {
    if (this.#head > 0) this.#items[--this.#head] = item;
    else this.#items.unshift(item);
  }

  /** The item with `offset` others before it. */
  at(offset: number): T | undefined {
    return offset < 0 ? undefined : this.#items[this.#head + offset];
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (item === undefined) return undefined;
    this.#head++;
    if (this.#head > 512 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Takes out the first item that fits. */
  remove(fits: (item: T) => boolean): T | undefined {
    const found = this.#items.findIndex((item, i) => i >= this.#head && fits(item));
    return found < 0 ? undefined : this.#items.splice(found, 1)[0];
  }

  find(fits: (item: T) => boolean): T | undefined {
    return this.#items.find((item, i) => i >= this.#head && fits(item));
  }

  /** Takes everything out. */
  drain(): T[] {
    const items = this.#items.slice(this.#head);
    this.#items = [];
    this.#head = 0;
    return items;
  }
}
