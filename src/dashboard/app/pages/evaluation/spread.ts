// How long attempts took, by worker: the median and how far they are spread.

import type { AttemptHistory, AttemptOfHistory } from '../../../../protocol/evaluation.ts';

export interface Spread {
  readonly n: number;
  readonly median: number;
  readonly p5: number;
  readonly p95: number;
  /** All of them where they are few, else an even choice from the shortest to the longest. */
  readonly dots: readonly number[];
}

/** Of fewer no spread can be told: they are shown one by one. */
export const leastForSpread = 5;
const mostDots = 24;

/** Null: of none. */
export function spreadOf(values: readonly number[]): Spread | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  return {
    n: sorted.length,
    median: medianOf(sorted),
    p5: quantile(sorted, 0.05),
    p95: quantile(sorted, 0.95),
    dots: chosen(sorted),
  };
}

/** As the coordinator counts it: the middle one, or the mean of the two in the middle. */
function medianOf(sorted: readonly number[]): number {
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? sorted[Math.floor(middle)]!
    : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The smallest that at least so many do not exceed. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

function chosen(sorted: readonly number[]): readonly number[] {
  if (sorted.length <= mostDots) return sorted;
  const step = (sorted.length - 1) / (mostDots - 1);
  return Array.from({ length: mostDots }, (_, place) => sorted[Math.round(place * step)]!);
}

/** Told are all that were live before the end; counted is what had ended by then. */
export function endedBefore(history: AttemptHistory, until: string | undefined): AttemptHistory {
  if (until === undefined) return history;
  const attempts = history.attempts.filter(({ ended_at: at }) => at !== null && at < until);
  return { ...history, attempts };
}

/** Seconds of completed attempts, by worker. */
export function timesByWorker(
  attempts: readonly AttemptOfHistory[],
): ReadonlyMap<string, readonly number[]> {
  const times = new Map<string, number[]>();
  for (const { status, worker_id: worker, started_at: begin, ended_at: end } of attempts) {
    if (status !== 'completed' || begin === null || end === null) continue;
    const of = times.get(worker) ?? [];
    times.set(worker, of);
    of.push(Math.max(0, Date.parse(end) - Date.parse(begin)) / 1000);
  }
  return times;
}
