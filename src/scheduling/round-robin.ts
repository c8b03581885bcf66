// Round robin: workers take turns in the order of registration. The turn is held by a worker, not
// by a row number, so that joins and leaves do not restart the cycle.

import type { Snapshot, WorkerView } from '../core/snapshot.ts';
import { makeRanking } from './ranking.ts';
import { Roster, rowsById } from './contests/roster.ts';
import { RowTurns } from './contests/row-turns.ts';
import type { Contest, SchedulerMemory, TabledRanking, TabledScheduler } from './scheduler.ts';

export class RoundRobinScheduler implements TabledScheduler {
  readonly algorithm = 'round_robin';
  readonly queueOrder = 'submission';
  readonly #roster = new Roster();
  #workers: readonly WorkerView[] = [];
  /** Row of the worker that had the last turn, in the roster; -1 before the first. */
  #last = -1;
  #lastAtBegin: string | null = null;
  readonly #contests = new RowTurns(
    () => this.#last,
    (row) => {
      this.#last = row;
    },
  );

  constructor(memory?: SchedulerMemory) {
    if (memory?.type !== 'turn' || memory.workerId === null) return;
    this.#roster.ids = [memory.workerId];
    this.#last = 0;
    this.#lastAtBegin = memory.workerId;
  }

  get memory(): SchedulerMemory {
    return { type: 'turn', workerId: this.#lastAtBegin };
  }

  begin(snapshot: Snapshot): void {
    this.#workers = snapshot.workers;
    if (this.#roster.isStale(snapshot)) {
      this.#last = this.#findLast(snapshot);
      this.#roster.follow(snapshot);
    }
    this.#lastAtBegin = this.#roster.ids[this.#last] ?? null;
    this.#contests.begin();
  }

  contest(eligible: Uint8Array): Contest {
    return this.#contests.open(eligible);
  }

  rank(eligible: Uint8Array): TabledRanking {
    const last = this.#last;
    const workers = this.#workers;
    const order = workers.map((_, turn) => (last + 1 + turn) % workers.length);
    return makeRanking({
      workers,
      eligible,
      order,
      selected: order.find((row) => eligible[row] === 1) ?? -1,
      reasonOf: () =>
        last < 0 ? 'first turn of the cycle' : `next free worker after ${workers[last]!.id}`,
    });
  }

  /**
   * The row in this snapshot of the worker that had the last turn. If that worker has left, it is the nearest
   * one before it that is still there: so no later worker loses or repeats a turn.
   */
  #findLast(snapshot: Snapshot): number {
    const rows = rowsById(snapshot);
    for (let turn = this.#last; turn >= 0; turn--) {
      const row = rows.get(this.#roster.ids[turn]!);
      if (row !== undefined) return row;
    }
    return -1;
  }
}
