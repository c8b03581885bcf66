// Events of the core as the stream shows them.

import type { JobSpec } from '../../core/records.ts';
import { taskId } from '../../core/task-key.ts';
import type {
  MovedWorker,
  ToldAs,
  ToldAttempt,
  ToldEvent,
  ToldTask,
} from '../../core/told-events.ts';
import { isoTime } from '../iso-time.ts';

export interface WireEvent {
  readonly type: string;
  /** Null for what belongs to no job. */
  readonly jobId: string | null;
  /** Of its job. */
  readonly owner: string | null;
  readonly data: Readonly<Record<string, unknown>>;
  /** Instead of `data` for who sees only what is its own. */
  readonly ownData?: Readonly<Record<string, unknown>>;
}

/** Every type that the stream knows, and what it tells. */
export const eventTypes = {
  job_submitted: 'A job is there: its id, name, client, priority and number of tasks.',
  job_cancelled: 'A client cancelled the job; what ran is revoked.',
  job_held: 'Nothing new of the job starts; what runs goes on.',
  job_released: 'The job goes on.',
  job_abandoned: 'A task failed for good and the job does not go on without it.',
  job_retried: 'The failed tasks of the job wait again.',
  job_finished: 'Every task is final: the status and the counts.',
  job_deleted: 'The job and all that belonged to it were removed.',
  task_assigned: 'A worker was chosen; the attempt has a number.',
  attempt_started: 'The attempt runs.',
  attempt_progressed: 'How far it is, 0 to 1, and what it says of itself.',
  output:
    'What the attempt prints, of a job with `live_output`; too much is left out, and counted.',
  checkpoint_saved: 'Its progress is saved: the next attempt would go on from here.',
  attempt_ended: 'The attempt ended without the accepted result: the outcome and the error.',
  task_requeued: 'The task waits for its next attempt, from `not_before` on.',
  task_completed: 'The result is accepted and durable.',
  task_failed: 'No budget is left: the last error.',
  worker_registered: 'A new worker.',
  worker_connected: 'The worker is reachable.',
  worker_disconnected: 'Its connection closed; its attempts have a grace.',
  worker_lost: 'It was silent for too long; its attempts are lost.',
  worker_left: 'It said goodbye.',
  worker_quarantined: 'It fails what succeeds elsewhere: nothing for it until the pause is over.',
  worker_probed: 'The pause of its quarantine is over: it may have one task.',
  worker_released: 'It is trusted again.',
  worker_drained: 'It takes nothing new, and must be free by the deadline, if there is one.',
  worker_resumed: 'It takes work again.',
  worker_approved: 'A person has let it in: it may be given work.',
  worker_rest_changed:
    'It rests, as its owner or its device wants, and is given nothing; `because` null: it works again.',
  worker_renamed: 'An operator has given it a name.',
  worker_deregistered: 'It was removed.',
  scheduler_configured:
    'Algorithm, weights or weighting changed; `by` whom, as the token is called.',
  counters:
    'How many there are of everything, about each second. Comes only if `types` names it, and has no id.',
  reset: 'What came before is no longer to be had: fetch everything again.',
} as const;

export type WireEventType = keyof typeof eventTypes;

const taskEvents = new Set<string>([
  'task_assigned',
  'attempt_started',
  'attempt_progressed',
  'output',
  'checkpoint_saved',
  'attempt_ended',
  'task_requeued',
  'task_completed',
  'task_failed',
]);

export function isTaskEvent(type: string): boolean {
  return taskEvents.has(type);
}

/** Undefined for an event that the stream does not show. */
export function wireEvent(event: ToldEvent): WireEvent | undefined {
  switch (event.type) {
    case 'job_submitted': {
      const { id, name, clientId, priority, taskCount } = event.spec;
      return wire(event, event.spec, {
        job_id: id,
        name,
        client_id: clientId,
        priority,
        task_count: taskCount,
      });
    }
    case 'job_cancelled':
    case 'job_held':
    case 'job_released':
    case 'job_abandoned':
    case 'job_retried':
    case 'job_deleted':
      return wire(event, event.job.spec, { job_id: event.job.spec.id });
    case 'job_finished':
      return wire(event, event.job.spec, finished(event));
    case 'task_assigned': {
      const { spec } = event.job;
      return wire(event, spec, {
        ...taskFields(spec.id, event.index),
        worker_id: event.worker.id,
        attempt: event.attempt,
        copy: event.isCopy,
      });
    }
    case 'attempt_started':
      return wire(event, event.attempt.task.job.spec, attemptFields(event.attempt));
    case 'attempt_progressed':
      return wire(event, event.attempt.task.job.spec, {
        ...attemptFields(event.attempt),
        progress: event.progress,
        message: event.message,
      });
    case 'checkpoint_saved': {
      const { sequence, progress, sizeBytes } = event.command;
      return wire(event, event.attempt.task.job.spec, {
        ...attemptFields(event.attempt),
        sequence,
        progress,
        size_bytes: sizeBytes,
      });
    }
    case 'attempt_ended':
      return wire(event, event.attempt.task.job.spec, {
        ...attemptFields(event.attempt),
        outcome: event.outcome,
        error_type: event.errorType,
        error_message: event.errorMessage,
      });
    case 'task_requeued':
      return wire(event, event.task.job.spec, {
        ...fieldsOf(event.task),
        not_before: event.notBefore > event.at ? isoTime(event.notBefore) : null,
      });
    case 'task_completed':
      return wire(event, event.task.job.spec, {
        ...fieldsOf(event.task),
        attempt: event.attempt,
        worker_id: event.workerId,
      });
    case 'task_failed':
      return wire(event, event.task.job.spec, {
        ...fieldsOf(event.task),
        attempt: event.attempt,
        error_type: event.error.type,
        error_message: event.error.message,
      });
    case 'worker_registered':
      return wire(event, null, {
        worker_id: event.command.workerId,
        name: event.command.description.name,
      });
    case 'worker_connected':
    case 'worker_disconnected':
    case 'worker_lost':
    case 'worker_left':
    case 'worker_probed':
    case 'worker_released':
    case 'worker_resumed':
    case 'worker_approved':
    case 'worker_deregistered':
      return wire(event, null, workerFields(event.worker));
    case 'worker_rest_changed':
      return wire(event, null, { ...workerFields(event.worker), because: event.because });
    case 'worker_renamed':
      return wire(event, null, { ...workerFields(event.worker), name: event.name });
    case 'worker_drained': {
      const { worker, deadline } = event;
      return wire(event, null, {
        ...workerFields(worker),
        deadline: deadline === null ? null : isoTime(deadline),
      });
    }
    case 'worker_quarantined':
      return wire(event, null, { ...workerFields(event.worker), until: isoTime(event.until) });
    case 'scheduler_configured': {
      const { algorithm, weighting, weights } = event.config;
      const { algorithm: before } = event.before;
      const told = wire(event, null, {
        algorithm,
        weighting,
        weights,
        by: event.config.by ?? null,
        before: {
          algorithm: before,
          weighting: event.before.weighting,
          weights: event.before.weights,
        },
      });
      return { ...told, ownData: { ...told.data, by: null } };
    }
    case 'database_cleared':
      return {
        type: 'reset',
        jobId: null,
        owner: null,
        data: { type: 'reset', at: isoTime(event.at), reason: 'cleared' },
      };
    case 'checkpoint_dropped':
    case 'attempt_recalled':
    case 'attempt_missed':
    case 'attempt_named':
    case 'attempt_delivered':
    case 'attempt_withdrawn':
    case 'task_due':
    case 'drain_ended':
    case 'clock_set':
    case 'silence_excused':
    case 'lease_renewed':
    case 'notification_owed':
    case 'notification_tried':
    case 'retention_due':
    case 'retention_planned':
    case 'worker_heard':
    case 'worker_attached':
    case 'worker_slept':
    case 'worker_observed':
    case 'worker_lease_changed':
      return undefined;
  }
}

/** What an attempt prints. No event of the core: nothing follows from it. */
export function outputEvent(
  attempt: ToldAttempt,
  text: string,
  leftOut: number,
  at: number,
): WireEvent {
  const fields = { ...attemptFields(attempt), text, left_out: leftOut };
  return wire({ type: 'output', at }, attempt.task.job.spec, fields);
}

function wire(
  event: { readonly type: string; readonly at: number },
  job: Pick<JobSpec, 'id' | 'owner'> | null,
  fields: Readonly<Record<string, unknown>>,
): WireEvent {
  const data = { type: event.type, at: isoTime(event.at), ...fields };
  return { type: event.type, jobId: job?.id ?? null, owner: job?.owner ?? null, data };
}

function taskFields(jobId: string, index: number) {
  return { job_id: jobId, task_id: taskId(jobId, index), index };
}

function fieldsOf(task: ToldTask) {
  return taskFields(task.job.spec.id, task.index);
}

function attemptFields({ task, attempt, worker }: ToldAttempt) {
  return { ...fieldsOf(task), attempt, worker_id: worker.id };
}

function workerFields({ id, name, status }: MovedWorker) {
  return { worker_id: id, name, status };
}

function finished({ job, status, completed, failed, cancelled }: ToldAs<'job_finished'>) {
  return { job_id: job.spec.id, status, completed, failed, cancelled };
}
