// What is learned of devices from attempts that are over.

import type { ExportedAttempt } from '../../src/client/index.ts';
import type { DeviceDuring } from './measured.ts';

export type TimedAttempt = Pick<ExportedAttempt, 'index' | 'ended_at' | 'ran_seconds'>;

/**
 * Of the attempts of one job that a device of one slot has run, by the time of their end; null when there are none.
 * `sizes`: work seconds by index.
 */
export function duringOf(
  attempts: readonly TimedAttempt[],
  sizes: readonly number[],
): DeviceDuring | null {
  const [first] = attempts;
  if (first === undefined) return null;
  const ran = sum(attempts.map(ranSeconds));
  const speed = sum(attempts.map(({ index }) => sizes[index]!)) / ran;
  const others = attempts.length - 1;
  if (others === 0) return { speed, betweenMs: null };
  const endedMs = Date.parse(attempts.at(-1)!.ended_at) - Date.parse(first.ended_at);
  return { speed, betweenMs: (endedMs - 1000 * (ran - ranSeconds(first))) / others };
}

function ranSeconds({ ran_seconds: seconds }: TimedAttempt): number {
  if (seconds === null || !(seconds > 0))
    throw new Error('An attempt does not say how long it ran.');
  return seconds;
}

/** Of the two in the middle the mean. Of at least one. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
