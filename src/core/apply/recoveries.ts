// Recovery events: made when an attempt that had started is lost, filled when its task goes on.

import type { AttemptEnded, Event } from '../events.ts';
import type {
  AttemptRecord,
  CheckpointRecord,
  RecoveryReason,
  RecoveryRecord,
  TaskRecord,
} from '../records.ts';
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

/** An error of the task itself (a thrown one, a limit of the sandbox) makes no recovery event. */
export function openRecovery(state: State, event: AttemptEnded): void {
  const { attempt, errorType, at } = event;
  const { task, worker, startedAt } = attempt;
  const newest = task.checkpoints.at(-1) ?? null;
  const own = newest?.attempt === attempt.attempt ? newest : null;
  // Not heard of since a restart: a checkpoint of it is as good as its word that it had begun.
  const began = startedAt ?? (attempt.isAwaited ? (own?.createdAt ?? null) : null);
  if (began === null || !reasons.has(errorType)) return;
  const savedMs = own === null || startedAt === null ? 0 : own.runMs - attempt.runBeforeMs;
  const recovery: RecoveryRecord = {
    id: state.nextRecoveryId++,
    task,
    fromWorkerId: worker.id,
    reason: errorType as RecoveryReason,
    attempt: attempt.attempt,
    lostAt: at,
    timeLostSeconds: Math.max(0, at - began - savedMs) / 1000,
    workSavedSeconds: 0,
    checkpointId: null,
    resumedFromProgress: null,
    toWorkerId: null,
    nextAttempt: null,
    resumedAt: null,
    outcome: 'requeued',
  };
  task.recovery = recovery;
  resumeFrom(recovery, newest);
}

/** The task will resume from the checkpoint, or begin anew when it is null. */
export function resumeFrom(recovery: RecoveryRecord, checkpoint: CheckpointRecord | null): void {
  recovery.checkpointId = checkpoint === null ? null : String(checkpoint.id);
  recovery.resumedFromProgress = checkpoint?.progress ?? null;
  recovery.workSavedSeconds = (checkpoint?.runMs ?? 0) / 1000;
  if (recovery.nextAttempt !== null) {
    recovery.outcome = checkpoint === null ? 'restarted' : 'resumed';
  }
}

/** The coordinator was away and is back; the attempt has gone on meanwhile. */
export function createAdoption(
  state: State,
  { attempt, startedAt, at }: Extract<Event, { type: 'attempt_started' }>,
): RecoveryRecord {
  const { task, worker } = attempt;
  const lostAt = state.restart?.lastAliveAt ?? at;
  return {
    id: state.nextRecoveryId++,
    task,
    fromWorkerId: worker.id,
    reason: 'coordinator_restart',
    attempt: attempt.attempt,
    lostAt,
    timeLostSeconds: 0,
    workSavedSeconds: Math.max(0, at - startedAt) / 1000,
    checkpointId: null,
    resumedFromProgress: null,
    toWorkerId: worker.id,
    nextAttempt: attempt.attempt,
    resumedAt: at,
    outcome: 'adopted',
  };
}

/** A copy was faster than the attempt that it was made of. */
export function createStraggler(
  state: State,
  straggler: AttemptRecord,
  winner: AttemptRecord,
  at: number,
): RecoveryRecord {
  const { resumedFrom, runBeforeMs } = winner;
  return {
    id: state.nextRecoveryId++,
    task: straggler.task,
    fromWorkerId: straggler.worker.id,
    reason: 'straggler',
    attempt: straggler.attempt,
    lostAt: winner.assignedAt,
    timeLostSeconds: Math.max(0, at - (straggler.startedAt ?? at)) / 1000,
    workSavedSeconds: runBeforeMs / 1000,
    checkpointId: resumedFrom === null ? null : String(resumedFrom.id),
    resumedFromProgress: resumedFrom?.progress ?? null,
    toWorkerId: winner.worker.id,
    nextAttempt: winner.attempt,
    resumedAt: winner.startedAt ?? at,
    outcome: resumedFrom === null ? 'restarted' : 'resumed',
  };
}

/** The task was assigned again. */
export function continueRecovery(attempt: AttemptRecord): void {
  const { recovery } = attempt.task;
  if (recovery === null) return;
  recovery.toWorkerId = attempt.worker.id;
  recovery.nextAttempt = attempt.attempt;
  recovery.outcome = recovery.checkpointId === null ? 'restarted' : 'resumed';
}

/** The next attempt began, or brought its result without saying that it began. */
export function endRecovery(task: TaskRecord, at: number): void {
  const { recovery } = task;
  if (recovery === null) return;
  // A late result of the lost attempt itself: nothing was done again.
  if (recovery.nextAttempt === null) recovery.outcome = 'adopted';
  recovery.resumedAt = at;
  task.recovery = null;
}
