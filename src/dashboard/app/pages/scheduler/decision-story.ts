// The last decision in words, and which columns its table has.

import { criterionIds } from '../../../../protocol/criteria.ts';
import type { LastDecision, RankedWorkerResource } from '../../../../protocol/scheduling-info.ts';
import { measured } from '../../text/numbers.ts';
import { inWords } from '../../text/words.ts';

/** Scores this close are equal. */
const tieTolerance = 1e-12;

/** `went to atlas, 0.03 ahead of borealis, no tie`. */
export function decisionSentence(
  { algorithm, worker_id: workerId, reason }: LastDecision,
  workers: readonly RankedWorkerResource[],
  nameOf: (id: string) => string,
): string {
  const went = `went to ${nameOf(workerId)}`;
  const chosen = workers.find(({ worker_id: id }) => id === workerId);
  const others = workers.filter(({ worker_id: id, eligible }) => eligible && id !== workerId);
  // Under wrr a turn decides, and not the score alone.
  const score = chosen?.score ?? null;
  if (score === null || algorithm === 'wrr') return `${went}: ${reason}`;
  const next = others[0];
  if (next === undefined || next.score === null) return `${went}: nobody else could take it`;
  const ties = others.filter((other) => Math.abs(other.score! - score) <= tieTolerance).length;
  if (ties > 0) return `${went}, in a tie with ${inWords(ties, 'other')}`;
  return `${went}, ${measured(Math.abs(score - next.score))} ahead of ${nameOf(next.worker_id)}, no tie`;
}

export interface DecisionColumn {
  readonly id: string;
  readonly weight: number;
  /** Why it counts for nothing; null: it counts. */
  readonly leftOut: string | null;
}

/** Those with a weight, and why one of them decides nothing. */
export function decisionColumns(
  workers: readonly RankedWorkerResource[],
  weights: Readonly<Record<string, number>>,
): readonly DecisionColumn[] {
  if (!workers.some(({ criteria }) => Object.keys(criteria).length > 0)) return [];
  return criterionIds
    .filter((id) => (weights[id] ?? 0) > 0)
    .map((id) => ({ id, weight: weights[id]!, leftOut: whyLeftOut(workers, id) }));
}

function whyLeftOut(workers: readonly RankedWorkerResource[], id: string): string | null {
  const cells = workers.flatMap(({ criteria }) => criteria[id] ?? []);
  if (cells.every(({ value }) => value === null)) return 'no device reports it';
  if (cells.every(({ contribution }) => contribution === 0)) return 'the same for all';
  return null;
}

/** Terms of an algorithm that stand beside the score. */
const terms: Readonly<Record<string, readonly string[]>> = {
  edas: ['sp', 'sn'],
  aras: ['s'],
  wrr: ['share'],
  mabac: ['area'],
  performance: ['basis'],
};

export function termsOf(algorithm: string): readonly string[] {
  return terms[algorithm] ?? [];
}

const termTitles: Readonly<Record<string, string>> = {
  sp: 'how far above the average, weighed',
  sn: 'how far below the average, weighed',
  s: 'sum of the weighed criteria; the score is its share of the optimum',
  share: 'of the turns',
  area: 'where it stands to the border',
  basis: 'what it is known from',
};

export function termTitle(term: string): string | undefined {
  return termTitles[term];
}

/** Where no task has ended, a failure rate is made of that of all. Such a device has no throughput of its own. */
export function isAssumed(id: string, criteria: RankedWorkerResource['criteria']): boolean {
  const { throughput } = criteria;
  return (
    id === 'failure_rate' &&
    throughput !== undefined &&
    (throughput.imputed || throughput.value === null)
  );
}

export function termText(value: number | string | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'number' ? value.toFixed(3) : value;
}

/** The parts of a task's id: the job, and its place in it. */
export function partsOfTask(taskId: string): { readonly job: string; readonly index: number } {
  const dot = taskId.lastIndexOf('.');
  return { job: taskId.slice(0, dot), index: Number(taskId.slice(dot + 1)) };
}
