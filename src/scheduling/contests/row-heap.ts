// A heap of rows, the smallest key first; equal keys in the order of `isAhead`. A row can be in one heap at
// a time: its place is kept beside the keys, in arrays that all heaps share.
//
// Hot: the heap is built anew for every contest. The keys lie beside the rows, place by place, so that a
// comparison does not jump through the cluster.

import type { WorkerView } from '../../core/snapshot.ts';
import { isAhead } from './best-row.ts';

export interface RowKeys {
  readonly workers: readonly WorkerView[];
  readonly keys: Float64Array;
  /** Row → its place in the heap that holds it. */
  readonly places: Int32Array;
}

export class RowHeap {
  size = 0;
  // Indexed by place; the children of place p are 2p + 1 and 2p + 2.
  #rows = new Int32Array(16);
  #keys = new Float64Array(16);

  /** Valid while `size` is not 0. */
  get first(): number {
    return this.#rows[0]!;
  }

  /** Appends a row without putting it in order: call `arrange` after the last one. */
  add(row: number): void {
    if (this.size === this.#rows.length) {
      const rows = new Int32Array(2 * this.size);
      const keys = new Float64Array(2 * this.size);
      rows.set(this.#rows);
      keys.set(this.#keys);
      this.#rows = rows;
      this.#keys = keys;
    }
    this.#rows[this.size++] = row;
  }

  /** Keeps only the rows for which `isKept` is true, in no order: call `arrange` afterwards. */
  thin(isKept: (row: number) => boolean): void {
    let kept = 0;
    for (let place = 0; place < this.size; place++) {
      const row = this.#rows[place]!;
      if (isKept(row)) this.#rows[kept++] = row;
    }
    this.size = kept;
  }

  arrange(by: RowKeys): void {
    const { keys, places } = by;
    const rows = this.#rows;
    for (let place = 0; place < this.size; place++) this.#keys[place] = keys[rows[place]!]!;
    for (let place = (this.size >> 1) - 1; place >= 0; place--) this.#sink(place, by, false);
    for (let place = 0; place < this.size; place++) places[rows[place]!] = place;
  }

  push(row: number, by: RowKeys): void {
    this.add(row);
    this.#keys[this.size - 1] = by.keys[row]!;
    this.#rise(this.size - 1, by);
  }

  remove(row: number, by: RowKeys): void {
    const place = by.places[row]!;
    const last = --this.size;
    if (place === last) return;
    this.#put(this.#rows[last]!, this.#keys[last]!, place, by);
    this.#sink(this.#rise(place, by), by);
  }

  /** The key of the row has changed. */
  move(row: number, by: RowKeys): void {
    const place = by.places[row]!;
    this.#keys[place] = by.keys[row]!;
    this.#sink(this.#rise(place, by), by);
  }

  #rise(start: number, by: RowKeys): number {
    const row = this.#rows[start]!;
    const key = this.#keys[start]!;
    let place = start;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = this.#keys[above]!;
      if (key > other || (key === other && !isBefore(row, this.#rows[above]!, by))) break;
      this.#put(this.#rows[above]!, other, place, by);
      place = above;
    }
    this.#put(row, key, place, by);
    return place;
  }

  /** With `isTold` false the places are not written; the caller writes all of them afterwards. */
  #sink(start: number, by: RowKeys, isTold = true): void {
    const { size } = this;
    const rows = this.#rows;
    const keys = this.#keys;
    const row = rows[start]!;
    const key = keys[start]!;
    let place = start;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= size) break;
      let least = keys[below]!;
      if (below + 1 < size) {
        const next = keys[below + 1]!;
        if (next < least || (next === least && isBefore(rows[below + 1]!, rows[below]!, by))) {
          below++;
          least = next;
        }
      }
      if (least > key || (least === key && !isBefore(rows[below]!, row, by))) break;
      rows[place] = rows[below]!;
      keys[place] = least;
      if (isTold) by.places[rows[below]!] = place;
      place = below;
    }
    rows[place] = row;
    keys[place] = key;
    if (isTold) by.places[row] = place;
  }

  #put(row: number, key: number, place: number, by: RowKeys): void {
    this.#rows[place] = row;
    this.#keys[place] = key;
    by.places[row] = place;
  }
}

function isBefore(a: number, b: number, { workers }: RowKeys): boolean {
  return isAhead(workers[a]!, workers[b]!);
}
