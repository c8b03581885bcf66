// Recovery events: made when an attempt that had started is lost, filled when its task goes on.

import { createRecovery } from '../create/recovery.ts';
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
  'worker_rests',
  'coordinator_restart',
  'straggler',
]);

/** An error of the task itself (a thrown one, a limit of the sandbox) makes no recovery event. */
export function openRecovery(state: State, event: AttemptEnded): void {
  const { attempt, errorType, at } = event;
  const { task, startedAt } = attempt;
  const newest = task.checkpoints.at(-1) ?? null;
  const own = newest?.attempt === attempt.attempt ? newest : null;
  // Not heard of since a restart: a checkpoint of it is as good as its word that it had begun.
  const began = startedAt ?? (attempt.isAwaited ? (own?.createdAt ?? null) : null);
  if (began === null || !reasons.has(errorType)) return;
  const savedMs = own === null || startedAt === null ? 0 : own.runMs - attempt.runBeforeMs;
  const recovery = createRecovery(attempt, {
    id: state.nextRecoveryId++,
    reason: errorType as RecoveryReason,
    lostAt: at,
    timeLostSeconds: Math.max(0, at - began - savedMs) / 1000,
  });
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
  const recovery = createRecovery(attempt, {
    id: state.nextRecoveryId++,
    reason: 'coordinator_restart',
    lostAt: state.restart?.lastAliveAt ?? at,
    timeLostSeconds: 0,
  });
  goOn(recovery, attempt);
  recovery.resumedAt = at;
  recovery.workSavedSeconds = Math.max(0, at - startedAt) / 1000;
  recovery.outcome = 'adopted';
  return recovery;
}

/** A copy was faster than the attempt that it was made of. */
export function createStraggler(
  state: State,
  straggler: AttemptRecord,
  winner: AttemptRecord,
  at: number,
): RecoveryRecord {
  const recovery = createRecovery(straggler, {
    id: state.nextRecoveryId++,
    reason: 'straggler',
    lostAt: winner.assignedAt,
    timeLostSeconds: Math.max(0, at - (straggler.startedAt ?? at)) / 1000,
  });
  goOn(recovery, winner);
  recovery.resumedAt = winner.startedAt ?? at;
  resumeFrom(recovery, winner.resumedFrom);
  recovery.workSavedSeconds = winner.runBeforeMs / 1000;
  return recovery;
}

/** This attempt carries the task on. */
function goOn(recovery: RecoveryRecord, { worker, attempt }: AttemptRecord): void {
  recovery.toWorkerId = worker.id;
  recovery.nextAttempt = attempt;
}

/** The task was assigned again. */
export function continueRecovery(attempt: AttemptRecord): void {
  const { recovery } = attempt.task;
  if (recovery === null) return;
  goOn(recovery, attempt);
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
