// First in, first out: the next task in queue goes to the first free worker in the order of
// registration. Reads no metric.

import type { Snapshot, WorkerView } from '../core/snapshot.ts';
import { makeRanking } from './ranking.ts';
import { RowTurns } from './contests/row-turns.ts';
import type { Contest, TabledRanking, TabledScheduler } from './scheduler.ts';

export class FifoScheduler implements TabledScheduler {
  readonly algorithm = 'fifo';
  readonly queueOrder = 'submission';
  readonly memory = { type: 'none' } as const;
  #workers: readonly WorkerView[] = [];
  /** No turn is remembered: every search begins at row 0. */
  readonly #contests = new RowTurns(
    () => -1,
    () => {},
  );

  begin({ workers }: Snapshot): void {
    this.#workers = workers;
    this.#contests.begin();
  }

  contest(eligible: Uint8Array): Contest {
    return this.#contests.open(eligible);
  }

  rank(eligible: Uint8Array): TabledRanking {
    return makeRanking({
      workers: this.#workers,
      eligible,
      order: this.#workers.map((_, row) => row),
      selected: eligible.indexOf(1),
      reasonOf: () => 'first free worker in order of registration',
    });
  }
}
