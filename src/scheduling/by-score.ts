// A scheduler from one function: the worker with the largest score gets the task. The shortest way to an algorithm
// of one's own.

import type { Snapshot, WorkerView } from '../core/snapshot.ts';
import { bestRow, orderRows } from './contests/best-row.ts';
import { ScoreContests } from './contests/score-contests.ts';
import { withRoom } from './methods/method.ts';
import { makeRanking, sayNumber, sayTies } from './ranking.ts';
import type { Contest, Ranking, Scheduler, SchedulerFactory } from './scheduler.ts';

/**
 * The score of a worker, among all that are online: larger is better, ties go to fewer active tasks, then to the
 * longest idle. Must be finite and depend on its arguments alone. Called for every worker at the begin of a pass,
 * and again for one that got a task.
 */
export type Score = (worker: WorkerView, workers: readonly WorkerView[]) => number;

export function byScore(score: Score): SchedulerFactory {
  return (config) => new ScoreScheduler(config.algorithm, score);
}

class ScoreScheduler implements Scheduler {
  readonly algorithm: Scheduler['algorithm'];
  readonly queueOrder = 'submission';
  readonly memory = { type: 'none' } as const;
  readonly #score: Score;
  readonly #contests = new ScoreContests((row) => this.#rescore(row));
  #workers: readonly WorkerView[] = [];
  #scores = new Float64Array(0);

  constructor(algorithm: Scheduler['algorithm'], score: Score) {
    this.algorithm = algorithm;
    this.#score = score;
  }

  begin({ workers }: Snapshot): void {
    this.#workers = workers;
    this.#scores = withRoom(this.#scores, workers.length);
    for (let row = 0; row < workers.length; row++) this.#rescore(row);
    this.#contests.begin(workers, this.#scores);
  }

  contest(eligible: Uint8Array): Contest {
    return this.#contests.open(eligible);
  }

  rank(eligible: Uint8Array): Ranking {
    const [workers, scores] = [this.#workers, this.#scores];
    return makeRanking({
      workers,
      eligible,
      order: orderRows(scores, workers),
      selected: bestRow(scores, eligible, workers),
      reasonOf: (row) =>
        `largest score ${sayNumber(scores[row]!)}${sayTies(scores, eligible, row)}`,
      scoreOf: (row) => scores[row]!,
    });
  }

  #rescore(row: number): void {
    const score = this.#score(this.#workers[row]!, this.#workers);
    if (!Number.isFinite(score)) {
      throw new Error(
        `The score of worker ${this.#workers[row]!.id} is ${score}: it must be finite.`,
      );
    }
    this.#scores[row] = score;
  }
}
