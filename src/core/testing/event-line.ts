// One event, rejection or order as a short line: what tests compare and scenarios print.

import type { NotificationRecord } from '../notifications.ts';
import type { ToldAttempt, ToldEvent, ToldTask } from '../told-events.ts';
import { taskId } from '../task-key.ts';

export function eventLine(event: ToldEvent): string {
  switch (event.type) {
    case 'job_submitted':
      return `job ${event.spec.id} submitted`;
    case 'job_cancelled':
      return `job ${event.job.spec.id} cancelled`;
    case 'job_held':
      return `job ${event.job.spec.id} held`;
    case 'job_released':
      return `job ${event.job.spec.id} released`;
    case 'job_abandoned':
      return `job ${event.job.spec.id} abandoned`;
    case 'job_retried':
      return `job ${event.job.spec.id} retried`;
    case 'job_deleted':
      return `job ${event.job.spec.id} ${event.because === 'asked' ? 'deleted' : 'expired'}`;
    case 'retention_due':
      return 'retention due';
    case 'retention_planned':
      return `retention planned for ${event.lookAt}`;
    case 'notification_owed':
      return `${notificationName(event.notification)} owed`;
    case 'notification_tried': {
      const { attempts, outcome, nextAt } = event.notification;
      const pause = nextAt === null ? '' : `, next in ${nextAt - event.at} ms`;
      return `${notificationName(event.notification)} tried ${attempts} times: ${outcome}${pause}`;
    }
    case 'job_finished':
      return `job ${event.job.spec.id} finished: ${event.status}`;
    case 'task_assigned': {
      const { job, index, attempt, worker } = event;
      return `${taskId(job.spec.id, index)} #${attempt} ${event.isCopy ? 'copied' : 'assigned'} to ${worker.id}`;
    }
    case 'clock_set':
      return `clock set by ${event.byMs} ms`;
    case 'silence_excused':
      return 'silence excused';
    case 'attempt_started':
      return `${attemptName(event.attempt)} started`;
    case 'attempt_progressed':
      return `${attemptName(event.attempt)} progressed to ${event.progress}`;
    case 'attempt_recalled':
      return `${attemptName(event.attempt)} recalled`;
    case 'attempt_delivered':
      return `${attemptName(event.attempt)} delivered`;
    case 'attempt_withdrawn':
      return `${attemptName(event.attempt)} withdrawn`;
    case 'attempt_missed':
      return `${attemptName(event.attempt)} missed`;
    case 'attempt_named':
      return `${attemptName(event.attempt)} named`;
    case 'checkpoint_saved': {
      const { sequence, progress } = event.command;
      return `${attemptName(event.attempt)} saved checkpoint ${sequence} at ${progress}`;
    }
    case 'checkpoint_dropped':
      return `${name(event.checkpoint.task)} dropped checkpoint ${event.checkpoint.sequence}`;
    case 'task_completed':
      return `${name(event.task)} #${event.attempt} completed`;
    case 'attempt_ended': {
      const { attempt, outcome, errorType, charge } = event;
      const why = errorType === outcome ? '' : ` (${errorType})`;
      return `${attemptName(attempt)} ${outcome}${why}${charge === 'none' ? '' : `, charged: ${charge}`}`;
    }
    case 'task_requeued': {
      const pause = event.notBefore - event.at;
      return `${name(event.task)} requeued${pause > 0 ? ` for ${pause} ms later` : ''}`;
    }
    case 'task_due':
      return `${name(event.task)} due`;
    case 'task_failed':
      return `${name(event.task)} failed: ${event.error.type}`;
    case 'worker_registered':
      return `worker ${event.command.workerId} registered`;
    case 'lease_renewed':
      return `worker ${event.worker.id} lease renewed`;
    case 'worker_quarantined':
      return `worker ${event.worker.id} quarantined for ${event.pauseMs} ms`;
    case 'worker_drained': {
      const { worker, deadline, at } = event;
      const until = deadline === null ? '' : `, ${deadline - at} ms to go`;
      return `worker ${worker.id} drained${until}`;
    }
    case 'drain_ended':
      return `worker ${event.worker.id} must be free`;
    case 'worker_probed':
    case 'worker_released':
    case 'worker_connected':
    case 'worker_observed':
    case 'worker_disconnected':
    case 'worker_lost':
    case 'worker_resumed':
    case 'worker_approved':
    case 'worker_heard':
    case 'worker_left':
    case 'worker_attached':
    case 'worker_slept':
      return `worker ${event.worker.id} ${event.type.slice('worker_'.length)}`;
    case 'worker_rest_changed':
      return `worker ${event.worker.id} ${event.because === null ? 'works' : `rests: ${event.because}`}`;
    case 'worker_lease_changed':
      return `worker ${event.worker.id} has a lease of ${event.leaseMs ?? 'old'}`;
    case 'worker_renamed':
      return `worker ${event.worker.id} renamed to ${event.name}`;
    case 'worker_deregistered':
      return `worker ${event.worker.id} ${removal[event.because]}`;
    case 'scheduler_configured':
      return `scheduler ${event.config.algorithm}`;
    case 'database_cleared':
      return `cleared: generation ${event.generation}`;
  }
}

function name(task: ToldTask): string {
  return taskId(task.job.spec.id, task.index);
}

function attemptName(attempt: ToldAttempt): string {
  return `${name(attempt.task)} #${attempt.attempt}`;
}

function notificationName({ id, jobId, target }: NotificationRecord): string {
  return `notification ${id} of ${jobId} to target ${target}`;
}

const removal = {
  asked: 'deregistered',
  away: 'forgotten',
  refused: 'refused',
  unanswered: 'not let in',
} as const;
