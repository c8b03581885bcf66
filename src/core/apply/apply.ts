// Events change the records, here and nowhere else. Applying never refuses: what an event says has
// been decided. What must be written for an event is told beside it, in `mark-dirty.ts`.

import { leaseOf } from '../lease.ts';
import type { Event } from '../events.ts';
import type { State } from '../state.ts';
import { countTotals } from '../totals.ts';
import {
  applyAttemptEnded,
  applyAttemptStarted,
  applyDelivered,
  applyNamed,
  applyProgress,
  applyWithdrawn,
  expectNaming,
} from './attempts.ts';
import { applyCheckpointDropped, applyCheckpointSaved } from './checkpoints.ts';
import { applyClockSet } from './clock.ts';
import {
  applyJobCancelled,
  applyJobDeleted,
  applyJobFinished,
  applyJobHeld,
  applyJobReleased,
  applyJobRetried,
  applyJobSubmitted,
} from './jobs.ts';
import { applyRetentionDue, applyRetentionPlanned } from './retention.ts';
import { markChanged, markMade } from './mark-dirty.ts';
import {
  applyTaskAssigned,
  applyTaskCompleted,
  applyTaskDue,
  applyTaskFailed,
  applyTaskRequeued,
} from './tasks.ts';
import * as workers from './workers.ts';

export function apply(state: State, event: Event): void {
  markChanged(state, event);
  change(state, event);
  countTotals(state.totals, event);
  markMade(state, event);
}

function change(state: State, event: Event): void {
  switch (event.type) {
    case 'task_completed':
      return applyTaskCompleted(state, event);
    case 'task_assigned':
      return applyTaskAssigned(state, event);
    case 'attempt_started':
      return applyAttemptStarted(state, event.attempt, event.startedAt, event.at);
    case 'attempt_progressed':
      return applyProgress(state, event.attempt, event.progress, event.message, event.at);
    case 'attempt_recalled':
      event.attempt.recalled = true;
      // Otherwise the worker would at once be assigned again what it is about to release.
      event.attempt.worker.prefetch = 0;
      return;
    case 'attempt_missed':
      event.attempt.missedAt = event.at;
      return;
    case 'attempt_named':
      return applyNamed(state, event.attempt, event.at);
    case 'checkpoint_saved':
      expectNaming(state, event.attempt, event.at);
      return applyCheckpointSaved(state, event);
    case 'checkpoint_dropped':
      return applyCheckpointDropped(event.checkpoint);
    case 'attempt_ended':
      return applyAttemptEnded(state, event);
    case 'task_requeued':
      return applyTaskRequeued(state, event.task, event.notBefore, event.at);
    case 'task_due':
      return applyTaskDue(state, event.task, event.at);
    case 'task_failed':
      return applyTaskFailed(state, event);
    case 'job_submitted':
      return applyJobSubmitted(state, event);
    case 'job_cancelled':
      event.job.cancelledAt = event.at;
      return applyJobCancelled(state, event.job, event.at);
    case 'job_held':
      return applyJobHeld(state, event.job, event.at);
    case 'job_released':
      return applyJobReleased(state, event.job);
    case 'job_abandoned':
      return applyJobCancelled(state, event.job, event.at);
    case 'job_retried':
      return applyJobRetried(state, event);
    case 'job_finished':
      return applyJobFinished(state, event.job, event.at);
    case 'notification_owed':
      state.nextNotificationId = event.notification.id + 1;
      return;
    case 'notification_tried':
      // No record of it is in memory.
      return;
    case 'attempt_delivered':
      return applyDelivered(state, event.attempt, event.sequence, event.at);
    case 'attempt_withdrawn':
      return applyWithdrawn(state, event.attempt, event.at);
    case 'job_deleted':
      return applyJobDeleted(state, event.job);
    case 'retention_due':
      return applyRetentionDue(state, event.at);
    case 'retention_planned':
      return applyRetentionPlanned(state, event.lookAt);
    case 'worker_attached':
      return workers.applyAttached(state, event.worker, event.connectionId, event.at);
    case 'worker_slept':
      event.worker.asleep = true;
      return;
    case 'worker_heard':
      event.worker.lastSeenAt = event.at;
      return;
    case 'worker_observed':
      return workers.applyObserved(state, event);
    case 'lease_renewed':
      state.deadlines.arm(
        event.worker.lease,
        event.worker.lastSeenAt + leaseOf(state, event.worker),
      );
      return;
    case 'clock_set':
      return applyClockSet(state, event.byMs, event.at);
    case 'silence_excused':
      return workers.applySilenceExcused(state, event.at);
    case 'worker_registered':
      return workers.applyRegistered(state, event.command);
    case 'worker_connected':
      return workers.applyConnected(state, event);
    case 'worker_rest_changed':
      return workers.applyRestChanged(state, event.worker, event.because, event.at);
    case 'worker_lease_changed':
      return workers.applyLeaseChanged(state, event.worker, event.leaseMs, event.at);
    case 'worker_disconnected':
      return workers.applyDisconnected(state, event.worker, event);
    case 'worker_lost':
    case 'worker_left':
      return workers.applyAway(state, event.worker, event.at);
    case 'worker_drained': {
      const { worker, since, deadline } = event;
      return workers.applyDraining(state, worker, { since, deadline });
    }
    case 'worker_approved':
      return workers.applyApproved(state, event.worker);
    case 'worker_renamed':
      return workers.applyRenamed(event.worker, event.name);
    case 'worker_resumed':
      return workers.applyDraining(state, event.worker, null);
    case 'drain_ended':
      return state.deadlines.disarm(event.worker.drain);
    case 'worker_quarantined':
      return workers.applyQuarantined(state, event.worker, event.until, event.pauseMs);
    case 'worker_probed':
      return workers.applyProbed(state, event.worker);
    case 'worker_released':
      return workers.applyReleased(state, event.worker);
    case 'worker_deregistered':
      return workers.applyDeregistered(state, event.worker);
    case 'scheduler_configured':
      state.config = event.config;
      state.queue.setOrder(event.config.algorithm === 'priority' ? 'priority' : 'submission');
      state.wantsPass = true;
      return;
    case 'database_cleared':
      return workers.applyCleared(state, event.generation);
    default:
      event satisfies never;
  }
}
