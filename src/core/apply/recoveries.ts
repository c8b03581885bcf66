// Recovery events: made when an attempt that had started is lost, filled when its task goes on.

import type { AttemptEnded } from '../events.ts';
import type { AttemptRecord, RecoveryReason, RecoveryRecord, TaskRecord } from '../records.ts';
import type { State } from '../state.ts';

const reasons: ReadonlySet<string> = new Set<RecoveryReason>([
  'worker_lost',
  'connection_lost',
  'deregistered',
  'attempt_timeout',
  'worker_drained',
  'coordinator_restart',
  'straggler',
]);

/** What a task reports of itself (a thrown error, a limit of the sandbox) makes none. */
export function openRecovery(state: State, event: AttemptEnded): void {
  const { attempt, errorType, at } = event;
  const { task, worker, startedAt } = attempt;
  if (startedAt === null || !reasons.has(errorType)) return;
  const recovery: RecoveryRecord = {
    id: state.nextRecoveryId++,
    task,
    fromWorkerId: worker.id,
    reason: errorType as RecoveryReason,
    attempt: attempt.attempt,
    lostAt: at,
    timeLostSeconds: Math.max(0, at - startedAt) / 1000,
    workSavedSeconds: 0,
    checkpointId: null,
    resumedFromProgress: null,
    toWorkerId: null,
    nextAttempt: null,
    resumedAt: null,
    outcome: 'requeued',
  };
  task.recovery = recovery;
  state.dirty.recoveries.add(recovery);
}

/** The task was assigned again. */
export function continueRecovery(state: State, attempt: AttemptRecord): void {
  const { recovery } = attempt.task;
  if (recovery === null) return;
  recovery.toWorkerId = attempt.worker.id;
  recovery.nextAttempt = attempt.attempt;
  setOutcome(state, recovery, recovery.checkpointId === null ? 'restarted' : 'resumed');
}

/** The next attempt began, or brought its result without saying that it began. */
export function endRecovery(state: State, task: TaskRecord, at: number): void {
  const { recovery } = task;
  if (recovery === null) return;
  // A late result of the lost attempt itself: nothing was done again.
  if (recovery.nextAttempt === null) recovery.outcome = 'adopted';
  recovery.resumedAt = at;
  state.dirty.recoveries.add(recovery);
  task.recovery = null;
}

export function setOutcome(
  state: State,
  recovery: RecoveryRecord,
  outcome: RecoveryRecord['outcome'],
): void {
  recovery.outcome = outcome;
  state.dirty.recoveries.add(recovery);
}
