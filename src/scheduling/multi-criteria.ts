// The scheduler of EDAS, ARAS and MABAC: the decision matrix, the weights in force, the scores of
// the method, and the eligible worker of the largest one.
//
// A placement changes one row of two columns, load and CPU availability, and with them the averages
// or extremes of these columns. The other columns are summed once per version of the snapshot and
// kept, so a decision between two heartbeats costs two columns, and the scores are always those of
// the matrix as it is shown.

import {
  type AlgorithmId,
  criterionIds,
  type SchedulerConfig,
  type Snapshot,
} from '../core/snapshot.ts';
import { bestRow, orderRows } from './best-row.ts';
import { criterionList } from './criteria.ts';
import { makeCriteriaTable } from './criteria-table.ts';
import { DecisionMatrix, isProjectable } from './decision-matrix.ts';
import { type ArgmaxMethod, type KeptSums, withRoom } from './method.ts';
import { makeRanking, sayNumber, sayTies } from './ranking.ts';
import type { Ranking, Scheduler } from './scheduler.ts';
import { weigh } from './weights.ts';

export class MultiCriteriaScheduler<S extends KeptSums> implements Scheduler {
  readonly algorithm: AlgorithmId;
  readonly queueOrder = 'submission';
  readonly #config: SchedulerConfig;
  readonly #method: ArgmaxMethod<S>;
  readonly #sums: S;
  readonly #matrix = new DecisionMatrix();
  readonly #weights = new Float64Array(criterionIds.length);
  #scores = new Float64Array(0);
  #version = Number.NaN;

  constructor(config: SchedulerConfig, method: ArgmaxMethod<S>) {
    this.algorithm = config.algorithm;
    this.#config = config;
    this.#method = method;
    this.#sums = method.sums(false);
  }

  select(snapshot: Snapshot, eligible: Uint8Array): number {
    const { workers, version } = snapshot;
    const isNew = version !== this.#version || workers.length !== this.#matrix.rows;
    if (isNew) {
      this.#version = version;
      this.#read(snapshot);
    }
    if (this.#matrix.project(workers) || isNew) this.#score();
    return bestRow(this.#scores, eligible, workers);
  }

  rank(snapshot: Snapshot, eligible: Uint8Array): Ranking {
    const table = makeCriteriaTable(this.#method, this.#config, snapshot);
    const { scores, sums, effectiveWeights, criteriaOf } = table;
    return makeRanking({
      snapshot,
      eligible,
      order: orderRows(scores, snapshot.workers),
      selected: bestRow(scores, eligible, snapshot.workers),
      reasonOf: (row) => {
        const ties = sayTies(scores, eligible, row);
        return `${this.#method.scoreName} ${sayNumber(scores[row]!)}${ties}`;
      },
      scoreOf: (row) => scores[row]!,
      effectiveWeights,
      criteriaOf,
      detailsOf: (row) => this.#method.details(sums, row, criteriaOf(row)),
    });
  }

  #read({ workers }: Snapshot): void {
    this.#matrix.read(workers);
    weigh(this.#config, this.#matrix, this.#weights);
    this.#scores = withRoom(this.#scores, workers.length);
    this.#sums.reset(workers.length);
    for (let column = 0; column < criterionList.length; column++) {
      if (!isProjectable(column)) this.#add(column);
    }
    this.#sums.keep();
  }

  #score(): void {
    this.#sums.restore();
    for (let column = 0; column < criterionList.length; column++) {
      if (isProjectable(column)) this.#add(column);
    }
    this.#sums.finish(this.#scores);
  }

  #add(column: number): void {
    const weight = this.#weights[column]!;
    if (weight === 0 || !this.#matrix.isPresent(column)) return;
    this.#sums.add(this.#matrix.columns[column]!, criterionList[column]!.kind, weight);
  }
}
