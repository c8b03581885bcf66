// The contests of the algorithms that go by the order of rows: the next task goes to the first free row
// after the one that had the last turn. A dropped row is passed over once and never looked at again.

import type { Contest } from '../scheduler.ts';

export class RowTurns {
  readonly #contests: TurnContest[] = [];
  readonly #last: () => number;
  readonly #take: (row: number) => void;
  #open = 0;

  /** `last` is the row that had the last turn, -1 before the first; the turn goes round. */
  constructor(last: () => number, take: (row: number) => void) {
    this.#last = last;
    this.#take = take;
  }

  begin(): void {
    this.#open = 0;
  }

  open(eligible: Uint8Array): Contest {
    const contest = (this.#contests[this.#open] ??= new TurnContest(this.#last, this.#take));
    this.#open++;
    contest.begin(eligible);
    return contest;
  }
}

class TurnContest implements Contest {
  readonly take: (row: number) => void;
  readonly #last: () => number;
  #rows = 0;
  /** Row → the row itself when it is free, else a later row with no free one before that; `#rows` at the end. */
  #next = new Int32Array(0);

  constructor(last: () => number, take: (row: number) => void) {
    this.#last = last;
    this.take = take;
  }

  begin(eligible: Uint8Array): void {
    const rows = eligible.length;
    this.#rows = rows;
    if (this.#next.length <= rows) this.#next = new Int32Array(2 * rows + 1);
    this.#next[rows] = rows;
    for (let row = rows - 1; row >= 0; row--) {
      this.#next[row] = eligible[row] === 1 ? row : this.#next[row + 1]!;
    }
  }

  best(except: readonly number[] = []): number {
    const first = this.#from(this.#last() + 1);
    if (first < 0 || !except.includes(first)) return first;
    for (let row = this.#from(first + 1); row !== first; row = this.#from(row + 1)) {
      if (!except.includes(row)) return row;
    }
    return first;
  }

  drop(row: number): void {
    if (this.#next[row] === row && row < this.#rows) this.#next[row] = row + 1;
  }

  /** The first free row from `start` on, then from row 0 on; -1 when there is none. */
  #from(start: number): number {
    const row = this.#find(Math.min(start, this.#rows));
    if (row < this.#rows) return row;
    const wrapped = this.#find(0);
    return wrapped < this.#rows ? wrapped : -1;
  }

  #find(start: number): number {
    const next = this.#next;
    let end = start;
    while (next[end] !== end) end = next[end]!;
    // Shortens the path: the next search from these rows takes one step.
    for (let row = start; next[row] !== row; ) {
      const after = next[row]!;
      next[row] = end;
      row = after;
    }
    return end;
  }
}
