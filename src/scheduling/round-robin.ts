// Round robin: workers take turns in the order of registration. The turn is held by a worker, not
// by a row number, so that joins and leaves do not restart the cycle.

import type { Snapshot } from '../core/snapshot.ts';
import { makeRanking } from './ranking.ts';
import { Roster, rowsById } from './roster.ts';
import type { Ranking, Scheduler } from './scheduler.ts';

export class RoundRobinScheduler implements Scheduler {
  readonly algorithm = 'round_robin';
  readonly queueOrder = 'submission';
  readonly #roster = new Roster();
  /** Row of the worker that had the last turn, in the roster; -1 before the first. */
  #last = -1;

  select(snapshot: Snapshot, eligible: Uint8Array): number {
    if (this.#roster.isStale(snapshot)) {
      this.#last = this.#findLast(snapshot);
      this.#roster.follow(snapshot);
    }
    const row = nextEligible(this.#last, snapshot.workers.length, eligible);
    if (row >= 0) this.#last = row;
    return row;
  }

  rank(snapshot: Snapshot, eligible: Uint8Array): Ranking {
    const last = this.#findLast(snapshot);
    const { workers } = snapshot;
    return makeRanking({
      snapshot,
      eligible,
      order: workers.map((_, turn) => (last + 1 + turn) % workers.length),
      selected: nextEligible(last, workers.length, eligible),
      reasonOf: () =>
        last < 0 ? 'first turn of the cycle' : `next free worker after ${workers[last]!.id}`,
    });
  }

  /**
   * Where the last turn stands in this snapshot. If its worker has left, the turn falls back to the
   * nearest one before it that is still there: nobody behind it loses or repeats a turn.
   */
  #findLast(snapshot: Snapshot): number {
    if (this.#last < 0 || !this.#roster.isStale(snapshot)) return this.#last;
    const rows = rowsById(snapshot);
    for (let turn = this.#last; turn >= 0; turn--) {
      const row = rows.get(this.#roster.ids[turn]!);
      if (row !== undefined) return row;
    }
    return -1;
  }
}

function nextEligible(last: number, rows: number, eligible: Uint8Array): number {
  for (let row = last + 1; row < rows; row++) if (eligible[row] === 1) return row;
  for (let row = 0; row <= last && row < rows; row++) if (eligible[row] === 1) return row;
  return -1;
}
