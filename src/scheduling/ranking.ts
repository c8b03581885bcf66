// Puts a ranking together: the table behind a choice, best first.

import type { CriterionId, WorkerView } from '../core/snapshot.ts';
import { tieTolerance } from './contests/best-row.ts';
import type {
  CriterionScore,
  RankedColumn,
  RankedWorker,
  RankingTable,
  TabledRanking,
} from './scheduler.ts';

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
  readonly columns?: readonly RankedColumn[];
  readonly detailsOf?: (row: number) => Readonly<Record<string, number | string>>;
}

/** Criteria and details of an algorithm that has none: always this very object. */
export const nothingNamed: Readonly<Record<string, never>> = Object.freeze({});

export function makeRanking(parts: RankingParts): TabledRanking {
  const { workers, selected } = parts;
  const table = new MadeTable(parts);
  let rows: readonly RankedWorker[] | undefined;
  return {
    effectiveWeights: parts.effectiveWeights ?? {},
    selected,
    reason: selected < 0 ? sayWhyNobody(workers) : parts.reasonOf(selected),
    table,
    get workers() {
      return (rows ??= rankedWorkers(table));
    },
  };
}

class MadeTable implements RankingTable {
  readonly order: readonly number[];
  readonly columns: readonly RankedColumn[];
  readonly #workers: readonly WorkerView[];
  /** As they are now, whatever is taken later. */
  readonly #eligible: Uint8Array;
  readonly #scores: Float64Array | undefined;
  readonly #detailsOf: RankingParts['detailsOf'];

  constructor(parts: RankingParts) {
    const { workers, order, scoreOf } = parts;
    this.order = order;
    this.columns = parts.columns ?? [];
    this.#workers = workers;
    this.#eligible = parts.eligible.slice(0, workers.length);
    this.#detailsOf = parts.detailsOf;
    if (scoreOf === undefined) return;
    const scores = new Float64Array(workers.length);
    for (let row = 0; row < scores.length; row++) scores[row] = scoreOf(row);
    this.#scores = scores;
  }

  /** Neither criteria nor details are told of any row. */
  get isPlain(): boolean {
    return this.columns.length === 0 && this.#detailsOf === undefined;
  }

  idOf(row: number): string {
    return this.#workers[row]!.id;
  }

  scoreOf(row: number): number | null {
    return this.#scores === undefined ? null : this.#scores[row]!;
  }

  isEligible(row: number): boolean {
    return this.#eligible[row] === 1;
  }

  detailsOf(row: number): RankedWorker['details'] {
    return this.#detailsOf?.(row) ?? nothingNamed;
  }
}

function rankedWorkers(table: MadeTable): readonly RankedWorker[] {
  const { isPlain } = table;
  return table.order.map((row, index) => {
    const workerId = table.idOf(row);
    const score = table.scoreOf(row);
    const eligible = table.isEligible(row);
    const rank = index + 1;
    // An object without getters is made in a fraction of the time.
    if (isPlain) {
      const none = { criteria: nothingNamed, details: nothingNamed };
      return { workerId, row, rank, score, eligible, ...none };
    }
    return {
      workerId,
      row,
      rank,
      score,
      eligible,
      // Made when it is read: of ten thousand workers only a few are shown as a rule.
      get criteria() {
        return criteriaOf(table.columns, row);
      },
      get details() {
        return table.detailsOf(row);
      },
    };
  });
}

function criteriaOf(columns: readonly RankedColumn[], row: number): RankedWorker['criteria'] {
  if (columns.length === 0) return nothingNamed;
  const named: Partial<Record<CriterionId, CriterionScore>> = {};
  for (const column of columns) {
    named[column.id] = {
      value: column.isPresent ? column.values[row]! : null,
      weight: column.weight,
      contribution: column.contributionOf(column.values[row]!),
      kind: column.kind,
      imputed: column.imputed[row] === 1,
      projected: column.projected[row] === 1,
    };
  }
  return named;
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
