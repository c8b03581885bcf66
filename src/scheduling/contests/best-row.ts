// Which row comes first. Scores within 1e-12 of the largest count as equal to it. This is the plain form,
// which compares every row, for explanations; `tournament.ts` keeps the same order up to date.

import type { WorkerView } from '../../core/snapshot.ts';

export const tieTolerance = 1e-12;

/** The eligible row that comes first, or -1 when no row is eligible. */
export function bestRow(
  scores: Float64Array,
  eligible: Uint8Array,
  workers: readonly WorkerView[],
): number {
  const rows = workers.length;
  let max = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < rows; row++) {
    if (eligible[row] === 1 && scores[row]! > max) max = scores[row]!;
  }
  // A second pass, not a running comparison: "equal within 1e-12" does not chain, and the choice
  // must not depend on the order of the rows.
  const least = max - tieTolerance;
  let best = -1;
  for (let row = 0; row < rows; row++) {
    if (eligible[row] !== 1 || !(scores[row]! >= least)) continue;
    if (best < 0 || isAhead(workers[row]!, workers[best]!)) best = row;
  }
  return best;
}

/** Breaks ties: fewer active tasks come first, then the longer idle time, then the smaller id. */
export function isAhead(a: WorkerView, b: WorkerView): boolean {
  if (a.activeTasks !== b.activeTasks) return a.activeTasks < b.activeTasks;
  if (a.idleSince !== b.idleSince) return a.idleSince < b.idleSince;
  return a.id < b.id;
}

/** All rows, best first, in the same order as `bestRow` would take them. Allocates. */
export function orderRows(scores: Float64Array, workers: readonly WorkerView[]): number[] {
  const rows = byScore(scores, workers.length);
  const ordered: number[] = [];
  for (let from = 0; from < rows.length; ) {
    let to = from + 1;
    while (to < rows.length && scores[rows[to]!]! >= scores[rows[from]!]! - tieTolerance) to++;
    if (to === from + 1) ordered.push(rows[from]!);
    else {
      const equal = Array.from(rows.subarray(from, to));
      equal.sort((a, b) => byTieBreak(workers[a]!, workers[b]!));
      for (const row of equal) ordered.push(row);
    }
    from = to;
  }
  return ordered;
}

/** Rows, the largest score first. Sorts bare numbers, in a fraction of the time of a sort that is told how to compare. */
function byScore(scores: Float64Array, rows: number): Int32Array {
  const sorted = scores.slice(0, rows);
  for (let row = 0; row < rows; row++) sorted[row] = -sorted[row]!;
  sorted.sort();
  const ordered = new Int32Array(rows);
  /** Of the place where a run of equal scores begins: how many of them have theirs. */
  const taken = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    const place = firstPlace(sorted, -scores[row]!);
    ordered[place + taken[place]!++] = row;
  }
  return ordered;
}

/** Of the first number that is not smaller. */
function firstPlace(sorted: Float64Array, number: number): number {
  let [from, to] = [0, sorted.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle]! < number) from = middle + 1;
    else to = middle;
  }
  return from;
}

function byTieBreak(a: WorkerView, b: WorkerView): number {
  if (isAhead(a, b)) return -1;
  return isAhead(b, a) ? 1 : 0;
}
