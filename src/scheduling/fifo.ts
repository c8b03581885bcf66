// First in, first out: the next task in queue goes to the first free worker in the order of
// registration. Reads no metric.

import type { Snapshot } from '../core/snapshot.ts';
import { makeRanking } from './ranking.ts';
import type { Ranking, Scheduler } from './scheduler.ts';

export class FifoScheduler implements Scheduler {
  readonly algorithm = 'fifo';
  readonly queueOrder = 'submission';

  select({ workers }: Snapshot, eligible: Uint8Array): number {
    for (let row = 0; row < workers.length; row++) if (eligible[row] === 1) return row;
    return -1;
  }

  rank(snapshot: Snapshot, eligible: Uint8Array): Ranking {
    return makeRanking({
      snapshot,
      eligible,
      order: snapshot.workers.map((_, row) => row),
      selected: this.select(snapshot, eligible),
      reasonOf: () => 'first free worker in order of registration',
    });
  }
}
