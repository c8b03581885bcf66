// Enumerations that databases store as integers: the place in the list. Lists only grow at the end.

import type { JobStatus } from '../core/records.ts';
import type { StoredStatus } from './visibility.ts';

export const jobStatuses: readonly JobStatus[] = [
  'pending',
  'running',
  'completed',
  'failed',
  'cancelled',
];

/** The partial indexes over tasks name the numbers. */
export const taskStatuses: readonly StoredStatus[] = [
  'pending',
  'assigned',
  'completed',
  'failed',
  'cancelled',
];

export const jobStatusCode = codes(jobStatuses);

export const taskStatusCode = codes(taskStatuses);

/** Of open jobs, for a list in a statement. */
export const openJobCodes = [jobStatusCode.pending, jobStatusCode.running].join();

function codes<T extends string>(names: readonly T[]): Readonly<Record<T, number>> {
  return Object.fromEntries(names.map((name, code) => [name, code])) as Record<T, number>;
}
