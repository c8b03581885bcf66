// Who is left in a contest.

export class Candidates {
  readonly #rows: Uint8Array;
  left = 0;

  constructor(eligible: Uint8Array) {
    this.#rows = Uint8Array.from(eligible);
    for (const each of this.#rows) this.left += each;
  }

  /** Rows that are no candidates may be dropped, too. */
  drop(row: number): void {
    if (this.#rows[row] !== 1) return;
    this.#rows[row] = 0;
    this.left--;
  }
}
