// Schemas of what the REST interface answers. They make the published document; answers are not
// walked at run time (the tests hold every answer against the document instead).

import { z } from 'zod';
import { timestamp } from './fields.ts';
import { telemetrySchema } from './telemetry.ts';

const count = z.int().min(0);
const jobStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;

export const jobStatusSchema = z.enum(jobStatuses, `must be one of ${jobStatuses.join(', ')}`);

export const statsSchema = z.object({
  total_workers: count,
  online_workers: count.describe('Workers that are online or busy'),
  total_jobs: count,
  completed_jobs: count,
  failed_jobs: count,
  running_jobs: count.describe('Jobs with the status `running` exactly'),
  total_tasks_completed: count,
  uptime_seconds: count,
});

export const jobSummarySchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  status: jobStatusSchema,
  task_count: count,
  created_at: timestamp(),
  completed_at: timestamp().nullable().describe('Null until the job is final'),
  client_id: z.string(),
});

export const taskCountsSchema = z.object({
  pending: count,
  assigned: count,
  running: count,
  completed: count,
  failed: count,
  cancelled: count,
});

export const taskEntrySchema = z.object({
  id: z.string(),
  index: count.describe('Position in the job, from 0'),
  status: z.enum(['pending', 'assigned', 'running', 'completed', 'failed', 'cancelled']),
  worker_id: z.string().nullable().describe('Worker of the newest attempt'),
  attempt: count.describe('0 before the first attempt'),
  result_available: z.boolean(),
});

export const jobHeadSchema = jobSummarySchema.extend({
  priority: z.int(),
  started_at: timestamp().nullable(),
  counts: taskCountsSchema,
  progress: z.number().min(0).max(1).describe('Share of the tasks that are final'),
  error: z.string().nullable().describe('Why the job failed'),
});

export const jobDetailSchema = jobHeadSchema.extend({ tasks: z.array(taskEntrySchema) });

const resultHead = { index: count, task_id: z.string() };

export const taskResultSchema = z.union([
  z.object({ ...resultHead, status: z.literal('completed'), value: z.unknown() }),
  z.object({
    ...resultHead,
    status: z.enum(['failed', 'cancelled']),
    error: z.object({ type: z.string(), message: z.string() }),
  }),
]);

export const workerSchema = z.object({
  id: z.string(),
  type: z.string().meta({ example: 'pc' }),
  platform: z.string().meta({ example: 'linux' }),
  status: z.enum(['online', 'busy', 'offline', 'draining', 'quarantined']),
  active_tasks: count.describe('Assigned and running attempts'),
  total_completed: count,
  last_heartbeat: timestamp(),
  name: z.string().nullable(),
  slots: count,
  kinds: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
  isolation: z.string(),
  total_failed: count,
  registered_at: timestamp(),
  telemetry: telemetrySchema,
  score: z.number().nullable().describe('Of the last decision'),
});

export const workerFailureSchema = z.object({
  task_id: z.string(),
  job_id: z.string(),
  error_type: z.string(),
  error_message: z.string(),
  failed_at: timestamp(),
});

export const deregistrationSchema = z.object({
  worker_id: z.string(),
  status: z.literal('deregistered'),
  requeued_tasks: count,
});

export const clearedSchema = z.object({
  deleted: z.object({ jobs: count, tasks: count, workers: count, checkpoints: count }),
});

export const healthSchema = z.object({ status: z.string() });
