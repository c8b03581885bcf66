// The contests of the algorithms in which the row with the largest score gets the task. All contests
// compare the same scores; each has its own rows. A change of one score costs O(log rows) per open contest.

import type { WorkerView } from '../../core/snapshot.ts';
import type { Contest } from '../scheduler.ts';
import { Tournament } from './tournament.ts';

export class ScoreContests {
  readonly #rescore: (row: number) => void;
  /** Kept from pass to pass: a tournament holds arrays as long as the cluster. */
  readonly #contests: ScoreContest[] = [];
  #open = 0;
  #workers: readonly WorkerView[] = [];
  #scores = new Float64Array(0);

  /** `rescore` updates the score of a row that got a task. */
  constructor(rescore: (row: number) => void) {
    this.#rescore = rescore;
  }

  begin(workers: readonly WorkerView[], scores: Float64Array<ArrayBuffer>): void {
    this.#workers = workers;
    this.#scores = scores;
    this.#open = 0;
  }

  open(eligible: Uint8Array): Contest {
    const contest = (this.#contests[this.#open] ??= new ScoreContest((row) => this.#take(row)));
    this.#open++;
    contest.tournament.begin(this.#scores, eligible, this.#workers);
    return contest;
  }

  #take(row: number): void {
    this.#rescore(row);
    for (let index = 0; index < this.#open; index++) this.#contests[index]!.tournament.replay(row);
  }
}

class ScoreContest implements Contest {
  readonly tournament = new Tournament();
  readonly take: (row: number) => void;

  constructor(take: (row: number) => void) {
    this.take = take;
  }

  best(except?: readonly number[]): number {
    const { tournament } = this;
    if (except === undefined || except.length === 0) return tournament.best();
    const left = except.filter((row) => tournament.leave(row));
    const best = tournament.best();
    for (const row of left) tournament.enter(row);
    return best < 0 ? tournament.best() : best;
  }

  drop(row: number): void {
    this.tournament.leave(row);
  }
}
