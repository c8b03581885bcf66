// Weighted round robin over suitability scores: score_i = sum_j w_j r_ij, where r is the share of
// the best value (x / max, min / x); a worker gets score_i / sum score of the tasks, in smooth
// turns. The load is that of the heartbeat: the turns themselves see to it that tasks spread.

import { criterionIds, type SchedulerConfig, type Snapshot } from '../core/snapshot.ts';
import { bestRatios } from './best-ratio.ts';
import { isAhead, orderRows } from './best-row.ts';
import { criterionList, type Kind } from './criteria.ts';
import { makeCriteriaTable } from './criteria-table.ts';
import { DecisionMatrix } from './decision-matrix.ts';
import { type Method, type Sums, withRoom } from './method.ts';
import { makeRanking, sayNumber } from './ranking.ts';
import { Roster, rowsById } from './roster.ts';
import type { Ranking, Scheduler } from './scheduler.ts';
import { weigh } from './weights.ts';

/** Scores become whole numbers of this unit: credits stay exact however many tasks pass. */
const unitsPerScore = 1e9;

export class WrrScheduler implements Scheduler {
  readonly algorithm = 'wrr';
  readonly queueOrder = 'submission';
  readonly #config: SchedulerConfig;
  readonly #roster = new Roster();
  readonly #matrix = new DecisionMatrix();
  readonly #sums = new WrrSums();
  readonly #weights = new Float64Array(criterionIds.length);
  /** What a row earns in each round in which it is eligible. */
  #earnings = new Float64Array(0);
  #credits = new Float64Array(0);
  #version = Number.NaN;

  constructor(config: SchedulerConfig) {
    this.#config = config;
  }

  select(snapshot: Snapshot, eligible: Uint8Array): number {
    const { workers, version } = snapshot;
    if (version !== this.#version || workers.length !== this.#matrix.rows) {
      this.#version = version;
      this.#follow(snapshot);
      this.#score(snapshot);
    }
    return takeTurn(this.#credits, this.#earnings, eligible, snapshot);
  }

  rank(snapshot: Snapshot, eligible: Uint8Array): Ranking {
    const { scores, effectiveWeights, criteriaOf } = makeCriteriaTable(
      wrrMethod,
      this.#config,
      snapshot,
    );
    const total = scores.reduce((sum, score) => sum + score, 0);
    const shareOf = (row: number) =>
      total > 0 ? scores[row]! / total : 1 / snapshot.workers.length;
    const credits = this.#creditsFor(snapshot);
    return makeRanking({
      snapshot,
      eligible,
      order: orderRows(scores, snapshot.workers),
      selected: takeTurn(credits.slice(), toUnits(scores), eligible, snapshot),
      reasonOf: (row) => `its turn at a share of ${sayNumber(100 * shareOf(row))} %`,
      scoreOf: (row) => scores[row]!,
      effectiveWeights,
      criteriaOf,
      detailsOf: (row) => ({ share: shareOf(row), credit: credits[row]! / unitsPerScore }),
    });
  }

  #follow(snapshot: Snapshot): void {
    if (!this.#roster.isStale(snapshot)) return;
    this.#credits = this.#creditsFor(snapshot);
    this.#roster.follow(snapshot);
  }

  /** Credits by row of this snapshot. A newcomer starts in the middle, at 0. */
  #creditsFor(snapshot: Snapshot): Float64Array<ArrayBuffer> {
    const credits = new Float64Array(snapshot.workers.length);
    if (!this.#roster.isStale(snapshot)) {
      credits.set(this.#credits);
      return credits;
    }
    const rows = rowsById(snapshot);
    const kept: number[] = [];
    this.#roster.ids.forEach((id, row) => {
      const moved = rows.get(id);
      if (moved === undefined) return;
      credits[moved] = this.#credits[row]!;
      kept.push(moved);
    });
    // What a leaver owed or was owed is shared by those who stay: the sum of credits is about 0.
    const sum = credits.reduce((total, credit) => total + credit, 0);
    const each = kept.length === 0 ? 0 : Math.trunc(sum / kept.length);
    for (const row of kept) credits[row]! -= each;
    return credits;
  }

  #score({ workers }: Snapshot): void {
    this.#matrix.read(workers);
    weigh(this.#config, this.#matrix, this.#weights);
    this.#sums.reset(workers.length);
    for (let column = 0; column < criterionList.length; column++) {
      const weight = this.#weights[column]!;
      if (weight === 0 || !this.#matrix.isPresent(column)) continue;
      this.#sums.add(this.#matrix.columns[column]!, criterionList[column]!.kind, weight);
    }
    this.#earnings = withRoom(this.#earnings, workers.length);
    this.#sums.finish(this.#earnings);
    roundToUnits(this.#earnings, workers.length);
  }
}

/** One round of smooth weighted round robin over the eligible rows; -1 when there is none. */
function takeTurn(
  credits: Float64Array,
  earnings: Float64Array,
  eligible: Uint8Array,
  { workers }: Snapshot,
): number {
  let total = 0;
  for (let row = 0; row < workers.length; row++) {
    if (eligible[row] === 1) total += earnings[row]!;
  }
  // Nobody eligible has a score: they take turns.
  const isPlain = total === 0;
  let best = -1;
  for (let row = 0; row < workers.length; row++) {
    if (eligible[row] !== 1) continue;
    const earned = isPlain ? unitsPerScore : earnings[row]!;
    if (earned === 0) continue;
    if (isPlain) total += earned;
    const credit = (credits[row]! += earned);
    if (best < 0 || credit > credits[best]!) best = row;
    else if (credit === credits[best] && isAhead(workers[row]!, workers[best]!)) best = row;
  }
  if (best >= 0) credits[best]! -= total;
  return best;
}

function toUnits(scores: Float64Array): Float64Array {
  const units = scores.slice();
  roundToUnits(units, units.length);
  return units;
}

function roundToUnits(scores: Float64Array, rows: number): void {
  for (let row = 0; row < rows; row++) scores[row] = Math.round(scores[row]! * unitsPerScore);
}

class WrrSums implements Sums {
  s = new Float64Array(0);
  #ratios = new Float64Array(0);
  #rows = 0;

  reset(rows: number): void {
    this.#rows = rows;
    this.s = withRoom(this.s, rows).fill(0, 0, rows);
    this.#ratios = withRoom(this.#ratios, rows);
  }

  add(column: Float64Array, kind: Kind, weight: number): void {
    if (!bestRatios(column, this.#rows, kind, this.#ratios)) return;
    for (let row = 0; row < this.#rows; row++) this.s[row]! += weight * this.#ratios[row]!;
  }

  finish(scores: Float64Array): void {
    for (let row = 0; row < this.#rows; row++) scores[row] = this.s[row]!;
  }

  contribution(row: number): number {
    return this.s[row]!;
  }
}

const wrrMethod: Method<WrrSums> = {
  isProjected: false,
  sums: () => new WrrSums(),
};
