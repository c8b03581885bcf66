// Rows by their key, smallest first; equal keys in the order of `isAhead`. A row can be in one heap at
// a time: where it stands is kept beside the keys, for all heaps together.

import type { WorkerView } from '../core/snapshot.ts';
import { isAhead } from './best-row.ts';

export interface RowKeys {
  readonly workers: readonly WorkerView[];
  readonly keys: Float64Array;
  /** Row → its place in the heap that holds it. */
  readonly places: Int32Array;
}

export class RowHeap {
  /** Row by place; the children of place p are 2p + 1 and 2p + 2. */
  readonly rows: number[] = [];

  /** Puts the rows in order that were pushed to `rows` or filtered out of it. */
  arrange(by: RowKeys): void {
    for (let place = 0; place < this.rows.length; place++) by.places[this.rows[place]!] = place;
    for (let place = (this.rows.length >> 1) - 1; place >= 0; place--) this.#sink(place, by);
  }

  push(row: number, by: RowKeys): void {
    this.#rise(this.rows.push(row) - 1, by);
  }

  remove(row: number, by: RowKeys): void {
    const place = by.places[row]!;
    const last = this.rows.pop()!;
    if (last === row) return;
    this.rows[place] = last;
    this.#settle(place, by);
  }

  /** The key of the row has changed. */
  move(row: number, by: RowKeys): void {
    this.#settle(by.places[row]!, by);
  }

  #settle(place: number, by: RowKeys): void {
    this.#sink(this.#rise(place, by), by);
  }

  #rise(start: number, by: RowKeys): number {
    const { rows } = this;
    const row = rows[start]!;
    let place = start;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!isBefore(row, rows[above]!, by)) break;
      this.#put(rows[above]!, place, by);
      place = above;
    }
    this.#put(row, place, by);
    return place;
  }

  #sink(start: number, by: RowKeys): void {
    const { rows } = this;
    const row = rows[start]!;
    let place = start;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= rows.length) break;
      if (below + 1 < rows.length && isBefore(rows[below + 1]!, rows[below]!, by)) below++;
      if (!isBefore(rows[below]!, row, by)) break;
      this.#put(rows[below]!, place, by);
      place = below;
    }
    this.#put(row, place, by);
  }

  #put(row: number, place: number, by: RowKeys): void {
    this.rows[place] = row;
    by.places[row] = place;
  }
}

function isBefore(a: number, b: number, { keys, workers }: RowKeys): boolean {
  const [keyA, keyB] = [keys[a]!, keys[b]!];
  if (keyA !== keyB) return keyA < keyB;
  return isAhead(workers[a]!, workers[b]!);
}
