// Performance-based: the worker with the shortest smoothed completion time. A newcomer is taken to
// be as fast as the fastest, so that it gets its first task soon and is measured by it.

import type { Snapshot } from '../core/snapshot.ts';
import { bestRow, orderRows } from './best-row.ts';
import { withRoom } from './method.ts';
import { makeRanking, sayNumber, sayTies } from './ranking.ts';
import type { Ranking, Scheduler } from './scheduler.ts';

export class PerformanceScheduler implements Scheduler {
  readonly algorithm = 'performance';
  readonly queueOrder = 'submission';
  /** -milliseconds: larger is better. Kept while the version stands. */
  #scores = new Float64Array(0);
  #version = Number.NaN;
  #rows = 0;

  select(snapshot: Snapshot, eligible: Uint8Array): number {
    const { workers, version } = snapshot;
    if (version !== this.#version || workers.length !== this.#rows) {
      this.#version = version;
      this.#rows = workers.length;
      this.#scores = withRoom(this.#scores, workers.length);
      scoreBySpeed(snapshot, this.#scores);
    }
    return bestRow(this.#scores, eligible, workers);
  }

  rank(snapshot: Snapshot, eligible: Uint8Array): Ranking {
    const { workers } = snapshot;
    const scores = new Float64Array(workers.length);
    scoreBySpeed(snapshot, scores);
    const scoreOf = (row: number) => Math.abs(scores[row]!);
    const isMeasured = (row: number) => workers[row]!.observed.smoothedTaskMs !== null;
    return makeRanking({
      snapshot,
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

function scoreBySpeed({ workers }: Snapshot, scores: Float64Array): void {
  let fastest = Number.POSITIVE_INFINITY;
  for (const { observed } of workers)
    fastest = Math.min(fastest, observed.smoothedTaskMs ?? fastest);
  const assumed = Number.isFinite(fastest) ? fastest : 0;
  for (let row = 0; row < workers.length; row++) {
    scores[row] = -(workers[row]!.observed.smoothedTaskMs ?? assumed);
  }
}
