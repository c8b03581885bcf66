// A page of results while it is filled, up to a number of rows and of bytes.

import { isDamaged } from './damage.ts';
import type { DamagedTask, TaskRow } from './rows.ts';
import { resultBytes } from './visibility.ts';

/** About the size of the sentence that replaces a damaged result. */
const damagedBytes = 512;

export class ResultPage {
  readonly rows: (TaskRow | DamagedTask)[] = [];
  readonly #limit: number;
  #bytesLeft: number;

  constructor(limit: number, bytes: number) {
    this.#limit = limit;
    this.#bytesLeft = bytes;
  }

  get rowsLeft(): number {
    return this.#limit - this.rows.length;
  }

  get bytesLeft(): number {
    return this.#bytesLeft;
  }

  get isFull(): boolean {
    return this.rowsLeft <= 0 || (this.#bytesLeft <= 0 && this.rows.length > 0);
  }

  /** False when the page is full: the row is for the next page. The first row always fits. */
  take(row: TaskRow | DamagedTask): boolean {
    if (this.isFull) return false;
    this.#bytesLeft -= isDamaged(row) ? damagedBytes : resultBytes(row);
    if (this.#bytesLeft < 0 && this.rows.length > 0) return false;
    this.rows.push(row);
    return true;
  }
}
