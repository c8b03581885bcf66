// Least loaded and priority: the worker with the fewest active tasks. They differ in the order of
// the queue only: submission order, or the larger priority first.

import type { Snapshot, WorkerView } from '../core/snapshot.ts';
import { bestRow, orderRows } from './contests/best-row.ts';
import { withRoom } from './methods/method.ts';
import { makeRanking } from './ranking.ts';
import { ScoreContests } from './contests/score-contests.ts';
import type { Contest, TabledRanking, TabledScheduler } from './scheduler.ts';

export class LeastLoadedScheduler implements TabledScheduler {
  readonly algorithm: 'least_loaded' | 'priority';
  readonly queueOrder: 'submission' | 'priority';
  readonly memory = { type: 'none' } as const;
  #workers: readonly WorkerView[] = [];
  /** Minus the number of active tasks: larger is better. */
  #scores = new Float64Array(0);
  readonly #contests = new ScoreContests((row) => {
    this.#scores[row] = -this.#workers[row]!.activeTasks;
  });

  constructor(algorithm: 'least_loaded' | 'priority') {
    this.algorithm = algorithm;
    this.queueOrder = algorithm === 'priority' ? 'priority' : 'submission';
  }

  begin({ workers }: Snapshot): void {
    this.#workers = workers;
    this.#scores = withRoom(this.#scores, workers.length);
    for (let row = 0; row < workers.length; row++) this.#scores[row] = -workers[row]!.activeTasks;
    this.#contests.begin(workers, this.#scores);
  }

  contest(eligible: Uint8Array): Contest {
    return this.#contests.open(eligible);
  }

  rank(eligible: Uint8Array): TabledRanking {
    const workers = this.#workers;
    const queue = this.queueOrder === 'priority' ? 'task of the highest priority; ' : '';
    return makeRanking({
      workers,
      eligible,
      order: orderRows(this.#scores, workers),
      selected: bestRow(this.#scores, eligible, workers),
      reasonOf: (row) => `${queue}fewest active tasks: ${workers[row]!.activeTasks}`,
      scoreOf: (row) => workers[row]!.activeTasks,
    });
  }
}
