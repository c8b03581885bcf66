// Enumerations that are stored as integers: the place in the list. Lists only grow at the end.

import type { JobStatus } from '../../../core/records.ts';
import type { StoredStatus } from '../../visibility.ts';

export const jobStatuses: readonly JobStatus[] = [
  'pending',
  'running',
  'completed',
  'failed',
  'cancelled',
];

/** The partial index `tasks_unfinished` names 0, 1 and 3. */
export const taskStatuses: readonly StoredStatus[] = [
  'pending',
  'assigned',
  'completed',
  'failed',
  'cancelled',
];

export const jobStatusCode = codes(jobStatuses);

export const taskStatusCode = codes(taskStatuses);

function codes<T extends string>(names: readonly T[]): Readonly<Record<T, number>> {
  return Object.fromEntries(names.map((name, code) => [name, code])) as Record<T, number>;
}
