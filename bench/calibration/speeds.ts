// What is learned of devices from attempts that are over.

import type { DoneJob } from './throttled-cluster.ts';

/** How fast the device is: work over run time, of tasks of `workSeconds` each. */
export function speedOf({ attempts }: Pick<DoneJob, 'attempts'>, workSeconds: number): number {
  const ran = attempts.reduce((sum, { ran_seconds }) => sum + (ran_seconds ?? 0), 0);
  if (!(ran > 0)) throw new Error('No attempt says how long it ran.');
  return (workSeconds * attempts.length) / ran;
}

/** Seconds from the end of one attempt to that of the next, on average; of a job that one device has run. */
export function cycleSecondsOf({ attempts }: Pick<DoneJob, 'attempts'>): number {
  const first = Date.parse(attempts[0]!.ended_at);
  const last = Date.parse(attempts.at(-1)!.ended_at);
  return (last - first) / 1000 / (attempts.length - 1);
}

/**
 * What of a cycle is neither work nor the way to the coordinator and back, in ms: how long it takes to begin a task.
 * At least 0: a cycle is measured with an error of its own.
 */
export function startMsOf(
  cycleSeconds: number,
  { workSeconds, speed, wayMs }: { workSeconds: number; speed: number; wayMs: number },
): number {
  return Math.max(0, 1000 * (cycleSeconds - workSeconds / speed) - wayMs);
}

/** Of the two in the middle the mean. Of at least one. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}
