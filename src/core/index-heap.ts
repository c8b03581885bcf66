// Task indices that wait for another attempt, smallest first. Each knows its place, so that one may be
// taken out of the middle as fast as from the front.

export class IndexHeap {
  private readonly items: number[] = [];
  private readonly places = new Map<number, number>();

  get size(): number {
    return this.items.length;
  }

  /** The smallest index, or undefined. */
  get first(): number | undefined {
    return this.items[0];
  }

  has(index: number): boolean {
    return this.places.has(index);
  }

  push(index: number): void {
    this.items.push(index);
    this.up(index, this.items.length - 1);
  }

  pop(): number | undefined {
    const first = this.items[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Takes one index out, wherever it is. */
  remove(index: number): void {
    const hole = this.places.get(index);
    if (hole === undefined) return;
    this.places.delete(index);
    const last = this.items.pop()!;
    if (last === index) return;
    this.up(last, hole);
    this.down(last, this.places.get(last)!);
  }

  clear(): void {
    this.items.length = 0;
    this.places.clear();
  }

  /** In no particular order. */
  values(): readonly number[] {
    return this.items;
  }

  private up(index: number, from: number): void {
    let child = from;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = this.items[parent]!;
      if (above <= index) break;
      this.put(above, child);
      child = parent;
    }
    this.put(index, child);
  }

  private down(index: number, from: number): void {
    const { items } = this;
    let parent = from;
    for (;;) {
      let child = 2 * parent + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && items[child + 1]! < items[child]!) child++;
      const below = items[child]!;
      if (below >= index) break;
      this.put(below, parent);
      parent = child;
    }
    this.put(index, parent);
  }

  private put(index: number, place: number): void {
    this.items[place] = index;
    this.places.set(index, place);
  }
}
