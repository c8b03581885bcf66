// When a job will have ended: what is left of it, by how fast its tasks completed in the last minutes.

import type { JobEta, JobOutlook } from '../../protocol/estimates.ts';
import { bucketCount, bucketMs, type CompletionRing } from './completion-ring.ts';

/** Fewer say too little of the others. */
export const fewestCompletions = 20;

const minuteMs = 60_000;
const bucketsOfMinute = minuteMs / bucketMs;
/** The fastest and the slowest of at least so many parts, where there have not been so many minutes. */
const fewestParts = 4;
/** A rate of less time is chance. */
const shortestMs = 1_000;

const generalMethod =
  'From the tasks that complete in the last minutes; low and high from the fastest and slowest of them.';

/** Completions of a job up to a moment of a clock that does not jump. */
export interface Past {
  readonly ring: CompletionRing | undefined;
  /** Nothing is known from before; the job may have begun later. */
  readonly from: number;
  readonly until: number;
}

/** Tasks that completed in the last minute, per second. */
export function ratePerSecond({ ring, from, until }: Past): number | null {
  const newest = bucketOf(until);
  const oldest = newest - bucketsOfMinute;
  const spanMs = until - Math.max(from, oldest * bucketMs);
  if (spanMs < shortestMs) return null;
  return rounded(((ring?.sum(oldest, newest) ?? 0) / spanMs) * 1000);
}

/** `left`: tasks that have not ended, less what is done of those that run. */
export function estimated(left: number, past: Past): JobEta {
  const newest = bucketOf(past.until);
  const oldest = newest - bucketCount + 1;
  const begin = Math.max(past.from, oldest * bucketMs);
  const spanMs = Math.max(past.until - begin, shortestMs);
  const count = past.ring?.sum(oldest, newest) ?? 0;
  if (past.ring === undefined || count === 0) {
    return cannotTell(`None of its tasks has completed in the last ${span(spanMs)}.`);
  }
  const rate = (count / spanMs) * 1000;
  const { rates, part } = partsOf(past.ring, Math.ceil(begin / bucketMs), newest - 1);
  const [slowest, fastest] = [Math.min(rate, ...rates), Math.max(rate, ...rates)];
  return {
    seconds: Math.ceil(left / rate),
    low: Math.ceil(left / fastest),
    high: Math.ceil(left / slowest),
    method:
      `From the ${count} task${count === 1 ? '' : 's'} that completed in the last ${span(spanMs)}; ` +
      `low and high from its fastest and slowest ${part}.`,
    reason: null,
  };
}

export function cannotTell(reason: string): JobEta {
  return { seconds: null, low: null, high: null, method: generalMethod, reason };
}

/** Of every job that has ended. */
export const endedOutlook: JobOutlook = {
  rate_per_second: null,
  eta: cannotTell('The job has ended.'),
};

export function bucketOf(at: number): number {
  return Math.floor(at / bucketMs);
}

/** Completed per second in each of the newest whole parts; a part in which nothing completed has none. */
function partsOf(
  ring: CompletionRing,
  first: number,
  last: number,
): { readonly rates: readonly number[]; readonly part: string } {
  const size = Math.max(1, Math.min(bucketsOfMinute, Math.floor((last - first + 1) / fewestParts)));
  const rates: number[] = [];
  for (let end = last; end - size + 1 >= first; end -= size) {
    const count = ring.sum(end - size + 1, end);
    if (count > 0) rates.push((count / (size * bucketMs)) * 1000);
  }
  return { rates, part: size === bucketsOfMinute ? 'minute' : span(size * bucketMs) };
}

function span(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return seconds < 120
    ? `${seconds} second${seconds === 1 ? '' : 's'}`
    : `${Math.round(seconds / 60)} minutes`;
}

/** No more digits than are true. */
function rounded(rate: number): number {
  return Number(rate.toPrecision(4));
}
