// Puts a ranking together: the table behind a choice, best first.

import type { CriterionId, WorkerView } from '../core/snapshot.ts';
import { tieTolerance } from './contests/best-row.ts';
import type { CriterionScore, Ranking } from './scheduler.ts';

export interface RankingParts {
  readonly workers: readonly WorkerView[];
  readonly eligible: Uint8Array;
  /** Rows, best first. */
  readonly order: readonly number[];
  /** The row that is selected, or -1. */
  readonly selected: number;
  /** The reason in words; called only when a row is selected. */
  readonly reasonOf: (selected: number) => string;
  readonly scoreOf?: (row: number) => number;
  readonly effectiveWeights?: Readonly<Partial<Record<CriterionId, number>>>;
  readonly criteriaOf?: (row: number) => Readonly<Partial<Record<CriterionId, CriterionScore>>>;
  readonly detailsOf?: (row: number) => Readonly<Record<string, number | string>>;
}

/** Criteria and details of an algorithm that has none: always this very object. */
export const nothingNamed: Readonly<Record<string, never>> = Object.freeze({});

export function makeRanking(parts: RankingParts): Ranking {
  const { workers, eligible, order, selected, scoreOf } = parts;
  const { criteriaOf, detailsOf } = parts;
  return {
    effectiveWeights: parts.effectiveWeights ?? {},
    selected,
    reason: selected < 0 ? sayWhyNobody(workers) : parts.reasonOf(selected),
    workers: order.map((row, index) => {
      const workerId = workers[row]!.id;
      const score = scoreOf === undefined ? null : scoreOf(row);
      const rank = index + 1;
      const isEligible = eligible[row] === 1;
      // An object without getters is made in a fraction of the time.
      if (criteriaOf === undefined && detailsOf === undefined) {
        const none = { criteria: nothingNamed, details: nothingNamed };
        return { workerId, row, rank, score, eligible: isEligible, ...none };
      }
      return {
        workerId,
        row,
        rank,
        score,
        eligible: isEligible,
        // Made when it is read: of ten thousand workers only a few are shown as a rule.
        get criteria() {
          return criteriaOf?.(row) ?? nothingNamed;
        },
        get details() {
          return detailsOf?.(row) ?? nothingNamed;
        },
      };
    }),
  };
}

/** `, one of 3 equal scores` or nothing: how many eligible rows share the selected one's score. */
export function sayTies(scores: Float64Array, eligible: Uint8Array, selected: number): string {
  const least = scores[selected]! - tieTolerance;
  let equal = 0;
  for (let row = 0; row < eligible.length; row++) {
    if (eligible[row] === 1 && scores[row]! >= least) equal++;
  }
  return equal < 2
    ? ''
    : `, one of ${equal} that tie: fewest active tasks, then longest idle, then id`;
}

/** Up to four significant digits. */
export function sayNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function sayWhyNobody(workers: readonly WorkerView[]): string {
  return workers.length === 0 ? 'no worker is online' : 'no worker is eligible';
}
