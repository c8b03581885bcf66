import type { AttemptDeadline, AttemptRecord, TaskDeadline, TaskRecord } from '../records.ts';

/** Not armed yet. */
export function createAttemptDeadline(
  kind: AttemptDeadline['kind'],
  attempt: AttemptRecord,
): AttemptDeadline {
  return { kind, attempt, at: 0, position: -1 };
}

/** Not armed yet. */
export function createRetryDeadline(task: TaskRecord): TaskDeadline {
  return { kind: 'retry', task, at: 0, position: -1 };
}
