// Task indices that wait for another attempt, smallest first.

export class IndexHeap {
  private readonly items: number[] = [];

  get size(): number {
    return this.items.length;
  }

  /** The smallest index, or undefined. */
  get first(): number | undefined {
    return this.items[0];
  }

  push(index: number): void {
    const items = this.items;
    let child = items.length;
    items.push(index);
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (items[parent]! <= index) break;
      items[child] = items[parent]!;
      child = parent;
    }
    items[child] = index;
  }

  pop(): number | undefined {
    const items = this.items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && items[child + 1]! < items[child]!) child++;
      if (items[child]! >= last) break;
      items[parent] = items[child]!;
      parent = child;
    }
    items[parent] = last;
    return first;
  }

  /** Takes one index out, wherever it is. Rare (a late result), so a scan will do. */
  remove(index: number): void {
    if (!this.items.includes(index)) return;
    const rest = this.items.filter((item) => item !== index);
    this.items.length = 0;
    for (const item of rest) this.push(item);
  }

  /** Mostly asked of the first. */
  has(index: number): boolean {
    return this.items[0] === index || this.items.includes(index);
  }

  clear(): void {
    this.items.length = 0;
  }

  /** In no particular order; for invariants. */
  values(): readonly number[] {
    return this.items;
  }
}
