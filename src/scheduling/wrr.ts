// Weighted round robin over suitability scores: score_i = sum_j w_j r_ij, where r is the share of
// the best value (x / max, min / x); a worker gets score_i / sum score of the tasks, in even turns.
// The load is that of the heartbeat: the turns themselves see to it that tasks spread.

import type { SchedulerConfig, Snapshot, WorkerView } from '../core/snapshot.ts';
import { orderRows } from './contests/best-row.ts';
import { scaleByBest } from './methods/column-scale.ts';
import { CriteriaScores } from './methods/criteria-scores.ts';
import { type Method, withRoom } from './methods/method.ts';
import { makeRanking, sayNumber } from './ranking.ts';
import { Roster, rowsById } from './contests/roster.ts';
import type { Contest, SchedulerMemory, TabledRanking, TabledScheduler } from './scheduler.ts';
import { WeightedTurns } from './contests/weighted-turns.ts';

/** Scores become whole numbers of this unit, and sums of weights exact. */
const unitsPerScore = 1e9;

export class WrrScheduler implements TabledScheduler {
  readonly algorithm = 'wrr';
  readonly queueOrder = 'submission';
  readonly #kept: CriteriaScores;
  readonly #roster = new Roster();
  readonly #turns = new WeightedTurns();
  #workers: readonly WorkerView[] = [];
  /** Credits by row of the roster, as they were at the last `begin`. */
  #credits = new Float64Array(0);
  #weights = new Float64Array(0);

  constructor(config: SchedulerConfig, memory?: SchedulerMemory) {
    this.#kept = new CriteriaScores(wrrMethod, config);
    if (memory?.type !== 'credits') return;
    this.#roster.ids = memory.ids;
    this.#credits = Float64Array.from(memory.credits);
  }

  get memory(): SchedulerMemory {
    const { ids } = this.#roster;
    return { type: 'credits', ids, credits: this.#credits.slice(0, ids.length) };
  }

  begin(snapshot: Snapshot): void {
    const { workers } = snapshot;
    this.#turns.settle(this.#credits);
    this.#workers = workers;
    if (this.#roster.isStale(snapshot)) {
      this.#credits = this.#creditsFor(snapshot);
      this.#roster.follow(snapshot);
    }
    if (this.#kept.follow(snapshot)) {
      this.#weights = withRoom(this.#weights, workers.length);
      for (let row = 0; row < workers.length; row++) {
        this.#weights[row] = Math.floor(this.#kept.scores[row]! * unitsPerScore + 0.5);
      }
    }
    this.#turns.begin(workers, this.#weights, this.#credits);
  }

  contest(eligible: Uint8Array): Contest {
    return this.#turns.open(eligible);
  }

  rank(eligible: Uint8Array): TabledRanking {
    const workers = this.#workers;
    const scores = this.#kept.scores.subarray(0, workers.length);
    const table = this.#kept.table();
    const total = scores.reduce((sum, score) => sum + score, 0);
    const shareOf = (row: number) => (total > 0 ? scores[row]! / total : 1 / workers.length);
    return makeRanking({
      workers,
      eligible,
      order: orderRows(scores, workers),
      selected: this.#turns.nextOf(eligible),
      reasonOf: (row) => `its turn at a share of ${sayNumber(100 * shareOf(row))} %`,
      ...table,
      detailsOf: (row) => ({ share: shareOf(row), credit: this.#turns.creditOf(row) }),
    });
  }

  /** Credits by row of this snapshot. A new worker starts with 0, the mean of all credits. */
  #creditsFor(snapshot: Snapshot): Float64Array<ArrayBuffer> {
    const credits = new Float64Array(snapshot.workers.length);
    const rows = rowsById(snapshot);
    const kept: number[] = [];
    this.#roster.ids.forEach((id, row) => {
      const moved = rows.get(id);
      if (moved === undefined) return;
      credits[moved] = this.#credits[row]!;
      kept.push(moved);
    });
    if (kept.length === this.#roster.ids.length) return credits;
    // The credits of workers that left are shared among those that stay, so that the sum stays about 0.
    const sum = credits.reduce((total, credit) => total + credit, 0);
    for (const row of kept) credits[row]! -= sum / kept.length;
    return credits;
  }
}

const wrrMethod: Method = {
  scoreName: 'largest share',
  isProjected: false,
  scale: scaleByBest,
  finish({ rows, up, scores }) {
    for (let row = 0; row < rows; row++) scores[row] = up[row]!;
  },
  score: ({ up }, row) => up[row]!,
  details: () => ({}),
};
