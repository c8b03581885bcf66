import type { AttemptRecord } from '../records.ts';

type NewAttempt = Pick<
  AttemptRecord,
  | 'task'
  | 'attempt'
  | 'worker'
  | 'token'
  | 'assignedAt'
  | 'isAwaited'
  | 'isCopy'
  | 'resumedFrom'
  | 'runBeforeMs'
  | 'expectedMs'
  | 'priority'
>;

/** An attempt of which its worker has said nothing yet. */
export function createAttempt(given: NewAttempt): AttemptRecord {
  return {
    task: given.task,
    attempt: given.attempt,
    worker: given.worker,
    token: given.token,
    assignedAt: given.assignedAt,
    isAwaited: given.isAwaited,
    isCopy: given.isCopy,
    resumedFrom: given.resumedFrom,
    runBeforeMs: given.runBeforeMs,
    sequence: 0,
    startedAt: null,
    progress: 0,
    progressMessage: null,
    checkpoints: 0,
    slot: null,
    missedAt: null,
    recalled: false,
    expectedMs: given.expectedMs,
    priority: given.priority,
    timeout: null,
    progressTimeout: null,
    delivery: null,
    naming: null,
  };
}
