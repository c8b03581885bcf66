// The newest decision, played again once however often it is asked for.

import type { AlgorithmId } from '../../core/snapshot.ts';
import type { DecisionLog, LoggedDecision } from './decision-log.ts';
import { type ReplayedDecision, replayDecision } from './replay.ts';

export interface NewestDecision {
  readonly logged: LoggedDecision;
  /** The same object until there is a newer decision. Nobody may take or drop a row. */
  readonly replayed: ReplayedDecision;
}

export class NewestReplay {
  readonly #log: Pick<DecisionLog, 'newest'>;
  #kept: NewestDecision | undefined;
  #scores: { readonly of: NewestDecision; readonly byId: Scores } | undefined;

  constructor(log: Pick<DecisionLog, 'newest'>) {
    this.#log = log;
  }

  /** Undefined before the first decision. O(workers) after a new one. */
  get decision(): NewestDecision | undefined {
    const logged = this.#log.newest;
    if (logged === undefined) this.#kept = undefined;
    else if (this.#kept === undefined || !isSame(this.#kept.logged, logged)) {
      this.#kept = { logged, replayed: replayDecision(logged) };
    }
    return this.#kept;
  }

  /** Score of each worker in it; of workers that are not in the map it is null. */
  get scores(): Scores {
    const algorithm = this.#log.newest?.pass.config.algorithm;
    if (algorithm !== undefined && scoreless.has(algorithm)) return noScores;
    const { decision } = this;
    if (decision === undefined) return noScores;
    if (this.#scores?.of !== decision) {
      this.#scores = { of: decision, byId: scoresOf(decision) };
    }
    return this.#scores.byId;
  }
}

export type Scores = ReadonlyMap<string, number | null>;

const noScores: Scores = new Map();

function isSame(one: LoggedDecision, other: LoggedDecision): boolean {
  return one.pass === other.pass && one.place === other.place;
}

/** Algorithms that read no metric: there nobody has a score, and nothing is played again for it. */
export const scoreless: ReadonlySet<AlgorithmId> = new Set(['fifo', 'round_robin']);

function scoresOf({ replayed }: NewestDecision): Scores {
  const { table } = replayed.ranking;
  return new Map(table.order.map((row) => [table.idOf(row), table.scoreOf(row)]));
}
