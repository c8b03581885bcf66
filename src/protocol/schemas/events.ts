// Schemas of the events on `GET /api/events`, by type: the `data` of each, which is an object with
// its `type` and the moment `at` first.

import { z } from 'zod';
import { etaSchema, outlookFields } from './estimates.ts';
import { amount, count, share, timestamp } from './fields.ts';

const job = { job_id: z.string() };
const task = { ...job, task_id: z.string(), index: count() };
const attempt = { ...task, attempt: count(), worker_id: z.string() };
const worker = { worker_id: z.string(), name: z.string().nullable(), status: z.string() };
const taskCounts = {
  pending: count(),
  assigned: count(),
  running: count(),
  completed: count(),
  failed: count(),
  cancelled: count(),
};
const config = {
  algorithm: z.string(),
  weighting: z.enum(['manual', 'entropy']),
  weights: z.record(z.string(), z.number()),
};

export const eventSchemas = {
  job_submitted: event('job_submitted', {
    ...job,
    name: z.string().nullable(),
    client_id: z.string(),
    priority: z.int(),
    task_count: count(),
  }),
  job_cancelled: event('job_cancelled', job),
  job_held: event('job_held', job),
  job_released: event('job_released', job),
  job_abandoned: event('job_abandoned', job),
  job_retried: event('job_retried', job),
  job_finished: event('job_finished', {
    ...job,
    status: z.string(),
    completed: count(),
    failed: count(),
    cancelled: count(),
  }),
  job_deleted: event('job_deleted', job),
  task_assigned: event('task_assigned', {
    ...attempt,
    copy: z.boolean().describe('Beside an attempt that takes too long'),
  }),
  attempt_started: event('attempt_started', attempt),
  attempt_progressed: event('attempt_progressed', {
    ...attempt,
    progress: share('How far it is'),
    message: z.string().nullable(),
  }),
  output: event('output', {
    ...attempt,
    text: z.string().describe('What the attempt has printed since the last one'),
    left_out: count('Characters before it that are not told, because it was too much'),
  }),
  checkpoint_saved: event('checkpoint_saved', {
    ...attempt,
    sequence: count(),
    progress: share('Where the next attempt would go on'),
    size_bytes: count(),
  }),
  attempt_ended: event('attempt_ended', {
    ...attempt,
    outcome: z.string(),
    error_type: z.string(),
    error_message: z.string(),
  }),
  task_requeued: event('task_requeued', {
    ...task,
    not_before: timestamp('Null: at once').nullable(),
  }),
  task_completed: event('task_completed', {
    ...task,
    attempt: count(),
    worker_id: z.string().nullable(),
  }),
  task_failed: event('task_failed', {
    ...task,
    attempt: count(),
    error_type: z.string(),
    error_message: z.string(),
  }),
  worker_registered: event('worker_registered', {
    worker_id: z.string(),
    name: z.string().nullable(),
  }),
  worker_connected: event('worker_connected', worker),
  worker_disconnected: event('worker_disconnected', worker),
  worker_lost: event('worker_lost', worker),
  worker_left: event('worker_left', worker),
  worker_quarantined: event('worker_quarantined', { ...worker, until: timestamp() }),
  worker_probed: event('worker_probed', worker),
  worker_released: event('worker_released', worker),
  worker_drained: event('worker_drained', {
    ...worker,
    deadline: timestamp('Null: what runs may take its time').nullable(),
  }),
  worker_resumed: event('worker_resumed', worker),
  worker_approved: event('worker_approved', worker),
  worker_rest_changed: event('worker_rest_changed', {
    ...worker,
    because: z.string().nullable().describe('In a word; null: it works again'),
  }),
  worker_renamed: event('worker_renamed', { ...worker, name: z.string() }),
  worker_deregistered: event('worker_deregistered', worker),
  scheduler_configured: event('scheduler_configured', {
    ...config,
    by: z.string().nullable().describe('Label or owner of the token; null: nobody is told'),
    before: z.object(config),
  }),
  counters: event('counters', {
    interval_seconds: amount('Since the counters before: what `completed_since` counts is of it'),
    tasks: z.object(taskCounts).describe('Of jobs that have not ended'),
    completed_since: count('Tasks that completed since the counters before'),
    failed_since: count('Tasks that failed for good since the counters before'),
    jobs: z.object({
      open: count('Pending and running ones'),
      pending: count(),
      running: count(),
      completed: count(),
      failed: count(),
      cancelled: count(),
    }),
    workers: z.object({
      online: count(),
      busy: count(),
      offline: count(),
      waiting: count(),
      draining: count(),
      quarantined: count(),
    }),
    slots: z.object({
      total: count('Of workers that are not offline'),
      taken: count('By tasks that are assigned or running'),
    }),
    open_jobs: z
      .array(
        z.object({
          ...job,
          counts: z.object(taskCounts),
          progress: share('How far it is'),
          ...outlookFields,
          eta: etaSchema
            .extend({ method: etaSchema.shape.method.exactOptional() })
            .describe('As in the head of the job; `method` only with `job_id`'),
        }),
      )
      .describe('The oldest 200 that have not ended; with `job_id` that one, if it has not'),
    open_jobs_left_out: count('Jobs that have not ended, beyond those'),
  }),
  reset: event('reset', { reason: z.string().exactOptional() }),
} as const;

function event<const T extends string, const F extends z.core.$ZodLooseShape>(type: T, fields: F) {
  return z.object({ type: z.literal(type), at: timestamp(), ...fields });
}
