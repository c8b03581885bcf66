// The scheduler of EDAS, ARAS and MABAC: the eligible worker with the largest score.

import type { AlgorithmId, SchedulerConfig, Snapshot, WorkerView } from '../core/snapshot.ts';
import { bestRow, orderRows } from './contests/best-row.ts';
import { CriteriaScores } from './methods/criteria-scores.ts';
import type { Method } from './methods/method.ts';
import { makeRanking, sayNumber, sayTies } from './ranking.ts';
import { ScoreContests } from './contests/score-contests.ts';
import type { Contest, TabledRanking, TabledScheduler } from './scheduler.ts';

export class MultiCriteriaScheduler implements TabledScheduler {
  readonly algorithm: AlgorithmId;
  readonly queueOrder = 'submission';
  readonly memory = { type: 'none' } as const;
  readonly #method: Method;
  readonly #kept: CriteriaScores;
  readonly #contests: ScoreContests;
  #workers: readonly WorkerView[] = [];

  constructor(config: SchedulerConfig, method: Method) {
    this.algorithm = config.algorithm;
    this.#method = method;
    this.#kept = new CriteriaScores(method, config);
    this.#contests = new ScoreContests((row) => {
      this.#kept.rescore(row, this.#workers[row]!);
    });
  }

  begin(snapshot: Snapshot): void {
    this.#workers = snapshot.workers;
    this.#kept.follow(snapshot);
    this.#contests.begin(snapshot.workers, this.#kept.scores);
  }

  contest(eligible: Uint8Array): Contest {
    return this.#contests.open(eligible);
  }

  rank(eligible: Uint8Array): TabledRanking {
    const workers = this.#workers;
    const { scores } = this.#kept;
    const table = this.#kept.table();
    return makeRanking({
      workers,
      eligible,
      order: orderRows(scores, workers),
      selected: bestRow(scores, eligible, workers),
      reasonOf: (row) => {
        const ties = sayTies(scores, eligible, row);
        return `${this.#method.scoreName} ${sayNumber(table.scoreOf(row))}${ties}`;
      },
      ...table,
    });
  }
}
