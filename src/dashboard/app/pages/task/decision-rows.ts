// Why the task went where it did: the best workers of the decision, and what their scores are made of.

import { criterionIds } from '../../../../protocol/criteria.ts';
import type { DecisionExplanation } from '../../../../protocol/explanations.ts';
import type { RankedWorkerResource } from '../../../../protocol/scheduling-info.ts';
import { colourOf } from '../../look/criterion-colours.ts';
import { measured } from '../../text/numbers.ts';
import { listed } from '../../text/words.ts';

export interface DecisionRow {
  readonly workerId: string;
  readonly rank: number;
  readonly isSelected: boolean;
  readonly score: number | null;
  /** Of the widest bar, 0 to 1; in the order of the criteria, without those that gave nothing. */
  readonly parts: readonly {
    readonly criterion: string;
    /** As styles take it. */
    readonly colour: string;
    readonly share: number;
  }[];
  /** Why it could not be chosen; null when it could. */
  readonly hindrance: string | null;
  readonly told: string;
}

const mostRows = 8;

/** The best, and the selected one wherever it stood. */
export function decisionRows(decision: DecisionExplanation): readonly DecisionRow[] {
  const best = decision.workers.slice(0, mostRows);
  const selected = decision.workers.find((worker) => worker.selected);
  const shown =
    selected === undefined || best.includes(selected) ? best : [...best.slice(0, -1), selected];
  const widest = Math.max(...shown.map(lengthOf), Number.MIN_VALUE);
  return shown.map((worker) => rowOf(worker, widest));
}

function lengthOf({ criteria: of, score }: RankedWorkerResource): number {
  const sum = Object.values(of).reduce((all, { contribution }) => all + Math.abs(contribution), 0);
  return sum > 0 ? sum : Math.abs(score ?? 0);
}

function rowOf(worker: RankedWorkerResource, widest: number): DecisionRow {
  const { worker_id: workerId, rank, selected: isSelected, score, reasons, criteria: of } = worker;
  const parts = criterionIds.flatMap((criterion) => {
    const share = Math.abs(of[criterion]?.contribution ?? 0) / widest;
    return share > 0.002 ? [{ criterion, colour: colourOf(criterion), share }] : [];
  });
  const alone = Object.keys(of).length === 0 && score !== null && score !== 0;
  return {
    workerId,
    rank,
    isSelected,
    score,
    parts: alone
      ? [{ criterion: 'score', colour: 'var(--c9)', share: Math.abs(score) / widest }]
      : parts,
    hindrance: reasons.length === 0 ? null : listed(reasons.map(({ text }) => text)),
    told: listed(
      parts.map(
        ({ criterion, share }) => `${criterion.replaceAll('_', ' ')} ${measured(share * widest)}`,
      ),
    ),
  };
}
