// The row with the largest score, kept in a tree of matches: of two rows the one with the larger score
// goes on, of equal ones the one that `isAhead`. Built in O(rows); a row that changes plays its
// log2(rows) matches again.
//
// Scores within 1e-12 of the largest tie with it, which does not chain, so it cannot be decided match
// by match. Each node also knows the largest score below its best one: where that is too small to
// tie, the winner of the node stands for all its rows, and nothing below has to be looked at.

import type { WorkerView } from '../../core/snapshot.ts';
import { isAhead, tieTolerance } from './best-row.ts';

const nobody = Number.NEGATIVE_INFINITY;

export class Tournament {
  #rows = 0;
  #scores = new Float64Array(0);
  #workers: readonly WorkerView[] = [];
  // Node 1 is the final, node i is played by 2i and 2i + 1, row r enters at node rows + r.
  #top = new Float64Array(0);
  #second = new Float64Array(0);
  #winner = new Int32Array(0);

  /** Keeps a reference to `scores`: after a change of a row's score, call `replay`. */
  begin(
    scores: Float64Array<ArrayBuffer>,
    eligible: Uint8Array,
    workers: readonly WorkerView[],
  ): void {
    const rows = workers.length;
    this.#rows = rows;
    this.#scores = scores;
    this.#workers = workers;
    if (this.#top.length < 2 * rows) {
      this.#top = new Float64Array(4 * rows);
      this.#second = new Float64Array(4 * rows);
      this.#winner = new Int32Array(4 * rows);
    }
    for (let row = 0; row < rows; row++) {
      this.#top[rows + row] = eligible[row] === 1 ? scores[row]! : nobody;
      this.#second[rows + row] = nobody;
      this.#winner[rows + row] = row;
    }
    for (let node = rows - 1; node > 0; node--) this.#play(node);
  }

  /** The row that is ahead, or -1 when none is left. */
  best(): number {
    if (this.#rows === 0) return -1;
    const top = this.#top[1]!;
    if (top === nobody) return -1;
    const least = top - tieTolerance;
    if (this.#second[1]! < least) return this.#winner[1]!;
    return this.#ahead(1, least, -1);
  }

  /** The row's score, or what breaks its ties, has changed. */
  replay(row: number): void {
    const leaf = this.#rows + row;
    if (this.#top[leaf] === nobody) return;
    this.#top[leaf] = this.#scores[row]!;
    this.#playUp(leaf);
  }

  /** False when the row was not there. */
  leave(row: number): boolean {
    const leaf = this.#rows + row;
    if (row < 0 || row >= this.#rows || this.#top[leaf] === nobody) return false;
    this.#top[leaf] = nobody;
    this.#playUp(leaf);
    return true;
  }

  enter(row: number): void {
    const leaf = this.#rows + row;
    this.#top[leaf] = this.#scores[row]!;
    this.#playUp(leaf);
  }

  #playUp(leaf: number): void {
    for (let node = leaf >> 1; node > 0; node >>= 1) this.#play(node);
  }

  #play(node: number): void {
    const left = 2 * node;
    const right = left + 1;
    const a = this.#top[left]!;
    const b = this.#top[right]!;
    const secondA = this.#second[left]!;
    const secondB = this.#second[right]!;
    if (a > b) {
      this.#top[node] = a;
      this.#winner[node] = this.#winner[left]!;
      this.#second[node] = secondA > b ? secondA : b;
    } else if (b > a) {
      this.#top[node] = b;
      this.#winner[node] = this.#winner[right]!;
      this.#second[node] = secondB > a ? secondB : a;
    } else {
      this.#top[node] = a;
      this.#second[node] = secondA > secondB ? secondA : secondB;
      const winner = this.#winner[left]!;
      this.#winner[node] = a === nobody ? winner : this.#aheadOf(winner, this.#winner[right]!);
    }
  }

  #aheadOf(a: number, b: number): number {
    return isAhead(this.#workers[b]!, this.#workers[a]!) ? b : a;
  }

  /** Of `best` and the rows below the node that reach `least`, the one that is ahead. */
  #ahead(node: number, least: number, best: number): number {
    if (!(this.#top[node]! >= least)) return best;
    if (this.#second[node]! < least) {
      const winner = this.#winner[node]!;
      return best < 0 ? winner : this.#aheadOf(best, winner);
    }
    return this.#ahead(2 * node + 1, least, this.#ahead(2 * node, least, best));
  }
}
