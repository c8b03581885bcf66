import type { AttemptRecord, RecoveryRecord } from '../records.ts';

type NewRecovery = Pick<RecoveryRecord, 'id' | 'reason' | 'lostAt' | 'timeLostSeconds'>;

/** Nobody has gone on with the task yet. */
export function createRecovery(
  { task, attempt, worker }: AttemptRecord,
  given: NewRecovery,
): RecoveryRecord {
  return {
    id: given.id,
    task,
    fromWorkerId: worker.id,
    reason: given.reason,
    attempt,
    lostAt: given.lostAt,
    timeLostSeconds: given.timeLostSeconds,
    workSavedSeconds: 0,
    checkpointId: null,
    resumedFromProgress: null,
    toWorkerId: null,
    nextAttempt: null,
    resumedAt: null,
    outcome: 'requeued',
  };
}
