// Least loaded and priority: the worker with the fewest active tasks. They differ in the order of
// the queue only: submission order, or the larger priority first.

import type { Snapshot } from '../core/snapshot.ts';
import { leastActiveRow, orderRows } from './best-row.ts';
import { makeRanking } from './ranking.ts';
import type { Ranking, Scheduler } from './scheduler.ts';

export class LeastLoadedScheduler implements Scheduler {
  readonly algorithm: 'least_loaded' | 'priority';
  readonly queueOrder: 'submission' | 'priority';

  constructor(algorithm: 'least_loaded' | 'priority') {
    this.algorithm = algorithm;
    this.queueOrder = algorithm === 'priority' ? 'priority' : 'submission';
  }

  select({ workers }: Snapshot, eligible: Uint8Array): number {
    return leastActiveRow(eligible, workers);
  }

  rank(snapshot: Snapshot, eligible: Uint8Array): Ranking {
    const { workers } = snapshot;
    const queue = this.queueOrder === 'priority' ? 'task of the highest priority; ' : '';
    return makeRanking({
      snapshot,
      eligible,
      order: orderRows(
        Float64Array.from(workers, ({ activeTasks }) => -activeTasks),
        workers,
      ),
      selected: leastActiveRow(eligible, workers),
      reasonOf: (row) => `${queue}fewest active tasks: ${workers[row]!.activeTasks}`,
      scoreOf: (row) => workers[row]!.activeTasks,
    });
  }
}
