// Performance-based: the worker with the shortest smoothed completion time. A new worker
// counts as fast as the fastest, so that it gets its first task soon and is measured by it.

import type { Snapshot, WorkerView } from '../core/snapshot.ts';
import { bestRow, orderRows } from './contests/best-row.ts';
import { withRoom } from './methods/method.ts';
import { makeRanking, sayNumber, sayTies } from './ranking.ts';
import { ScoreContests } from './contests/score-contests.ts';
import type { Contest, TabledRanking, TabledScheduler } from './scheduler.ts';

export class PerformanceScheduler implements TabledScheduler {
  readonly algorithm = 'performance';
  readonly queueOrder = 'submission';
  readonly memory = { type: 'none' } as const;
  #workers: readonly WorkerView[] = [];
  /** Minus the smoothed run time in ms: larger is better. */
  #scores = new Float64Array(0);
  /** An assigned task changes how ties are broken, but no run time: nothing to rescore. */
  readonly #contests = new ScoreContests(() => {});

  begin({ workers }: Snapshot): void {
    this.#workers = workers;
    this.#scores = withRoom(this.#scores, workers.length);
    scoreBySpeed(workers, this.#scores);
    this.#contests.begin(workers, this.#scores);
  }

  contest(eligible: Uint8Array): Contest {
    return this.#contests.open(eligible);
  }

  rank(eligible: Uint8Array): TabledRanking {
    const workers = this.#workers;
    const scores = this.#scores;
    const scoreOf = (row: number) => Math.abs(scores[row]!);
    const isMeasured = (row: number) => workers[row]!.observed.smoothedTaskMs !== null;
    return makeRanking({
      workers,
      eligible,
      order: orderRows(scores, workers),
      selected: bestRow(scores, eligible, workers),
      reasonOf: (row) => {
        const basis = isMeasured(row) ? '' : ', assumed for a newcomer';
        const ties = sayTies(scores, eligible, row);
        return `shortest completion time ${sayNumber(scoreOf(row))} ms${basis}${ties}`;
      },
      scoreOf,
      detailsOf: (row) => ({ basis: isMeasured(row) ? 'measured' : 'assumed' }),
    });
  }
}

function scoreBySpeed(workers: readonly WorkerView[], scores: Float64Array): void {
  let fastest = Number.POSITIVE_INFINITY;
  for (let row = 0; row < workers.length; row++) {
    const { smoothedTaskMs } = workers[row]!.observed;
    scores[row] = smoothedTaskMs === null ? Number.NaN : -smoothedTaskMs;
    if (smoothedTaskMs !== null && smoothedTaskMs < fastest) fastest = smoothedTaskMs;
  }
  const assumed = Number.isFinite(fastest) ? -fastest : -0;
  for (let row = 0; row < workers.length; row++) {
    if (Number.isNaN(scores[row]!)) scores[row] = assumed;
  }
}
