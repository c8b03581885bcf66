// Schemas of the answers of the REST interface, for the published document. Answers are not validated at run
// time: instead the tests validate every answer against the document.

import { z } from 'zod';
import type { Limits } from '../limits.ts';
import { etaExample, outlookFields } from './estimates.ts';
import { count, exampleIds, exampleTime, share, timestamp } from './fields.ts';
import { errorBodySchema } from './refusal.ts';
import { chosenOptionsSchema } from './submission.ts';
import { telemetrySchema } from './telemetry.ts';
import { workerSeriesSchema } from './worker-series.ts';

const jobStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const;

export const jobStatusSchema = z.enum(jobStatuses, `must be one of ${jobStatuses.join(', ')}`);

export const statsSchema = z
  .object({
    total_workers: count('Registered workers, whatever their status'),
    online_workers: count('Workers that are online or busy'),
    total_jobs: count(),
    completed_jobs: count(),
    failed_jobs: count(),
    running_jobs: count('Jobs with the status `running` exactly'),
    total_tasks_completed: count(),
    uptime_seconds: count('Since this coordinator was started'),
  })
  .meta({
    examples: [
      {
        total_workers: 4,
        online_workers: 3,
        total_jobs: 12,
        completed_jobs: 10,
        failed_jobs: 1,
        running_jobs: 1,
        total_tasks_completed: 1204,
        uptime_seconds: 86400,
      },
    ],
  });

const jobSummaryFields = {
  id: z.string(),
  name: z.string().nullable().describe('For people; null when the client gave none'),
  status: jobStatusSchema,
  task_count: count(),
  created_at: timestamp(),
  completed_at: timestamp('Null until the job is final').nullable(),
  client_id: z.string().describe("The submitter's label, or `anonymous`"),
  owner: z
    .string()
    .exactOptional()
    .describe("Whose it is; absent: the admin's, as are all where nobody needs a token"),
  held_since: timestamp('Nothing new of it starts; null: it is not held').nullable(),
};

export const jobSummaryExample = {
  id: exampleIds.job,
  name: 'pi',
  status: 'running',
  task_count: 8,
  created_at: exampleTime,
  completed_at: null,
  client_id: 'lab-3',
  held_since: null,
};

export const jobSummarySchema = z.object(jobSummaryFields).meta({ examples: [jobSummaryExample] });

export const taskCountsSchema = z
  .object({
    pending: count(),
    assigned: count(),
    running: count(),
    completed: count(),
    failed: count(),
    cancelled: count(),
  })
  .describe('Tasks of the job, by status');

export const taskStatusSchema = z.enum([
  'pending',
  'assigned',
  'running',
  'completed',
  'failed',
  'cancelled',
]);

export const taskEntryFields = {
  id: z.string(),
  index: count('Position in the job, from 0'),
  status: taskStatusSchema,
  worker_id: z
    .string()
    .nullable()
    .describe('Worker of the newest attempt; null before the first attempt'),
  attempt: count('Number of the newest attempt; 0 before the first, retries raise it'),
  result_available: z.boolean(),
};

/** The input of a task, where it is told. */
export const taskInputFields = {
  input: z
    .unknown()
    .exactOptional()
    .describe('As it was submitted; a large one may be a reference to a blob'),
  input_problem: z
    .string()
    .exactOptional()
    .describe('Why the input cannot be read; stands in its place'),
};

export const taskEntryExample = {
  id: exampleIds.task,
  index: 7,
  status: 'completed',
  worker_id: exampleIds.worker,
  attempt: 1,
  result_available: true,
};

export const taskEntrySchema = z.object(taskEntryFields).meta({ examples: [taskEntryExample] });

const jobEnds = ['completed', 'failed', 'cancelled'] as const;

const notifyViewSchema = z.object({
  url: z.string().describe('Without what stands behind `?`'),
  on: z.array(z.enum(jobEnds)),
  signed: z.boolean(),
});

export const jobNotificationSchema = z
  .object({
    id: z.string().describe('The receiver gets it as `webhook-id`, the same at every attempt'),
    url: z.string().describe('Without what stands behind `?`'),
    status: z.enum(jobEnds).describe('How the job had ended'),
    ended_at: timestamp(),
    state: z.enum(['due', 'delivered', 'given_up']),
    attempts: count(),
    last_answer: z
      .string()
      .nullable()
      .describe('What came of the newest attempt: a status, or a few words; null before it'),
    last_attempt_at: timestamp().nullable(),
    next_attempt_at: timestamp('Null when no further attempt follows').nullable(),
  })
  .meta({
    examples: [
      {
        id: `msg_${exampleIds.job}_12`,
        url: 'https://example.org/hook',
        status: 'completed',
        ended_at: exampleTime,
        state: 'due',
        attempts: 1,
        last_answer: '503',
        last_attempt_at: exampleTime,
        next_attempt_at: exampleTime,
      },
    ],
  });

const jobHeadFields = {
  ...jobSummaryFields,
  priority: z.int().describe('−1000 to 1000, larger first'),
  started_at: timestamp('When the first task started; null before').nullable(),
  counts: taskCountsSchema,
  progress: share(
    'How far it is: tasks that completed or failed, and the shares that running ones report; what was cancelled does not count',
  ),
  ...outlookFields,
  error: z.string().nullable().describe('Why the job failed; else null'),
  expires_at: timestamp(
    'When it is removed with its results; null while it goes on, or when it is kept for good',
  ).nullable(),
  notify: z
    .array(notifyViewSchema)
    .exactOptional()
    .describe('Who is told of its end; absent when nobody is'),
  options: chosenOptionsSchema().exactOptional(),
  program_kind: z.string().exactOptional().describe('What a worker must offer for it'),
  has_shared: z
    .literal(true)
    .exactOptional()
    .describe('Its tasks share a value; absent when they do not'),
};

const jobHeadExample = {
  ...jobSummaryExample,
  priority: 0,
  started_at: exampleTime,
  counts: { pending: 4, assigned: 1, running: 2, completed: 1, failed: 0, cancelled: 0 },
  progress: 0.125,
  rate_per_second: 6.6,
  eta: etaExample,
  error: null,
  expires_at: null,
};

export const jobDetailSchema = z
  .object({ ...jobHeadFields, tasks: z.array(taskEntrySchema).describe('In index order') })
  .meta({ examples: [{ ...jobHeadExample, tasks: [taskEntryExample] }] });

/**
 * What `GET /api/jobs/{id}` answers, with and without `?tasks=false`: one schema, as the generators of clients
 * make one type of it, where a union is one that many languages cannot tell apart.
 */
export const jobAnswerSchema = jobDetailSchema
  .extend({
    tasks: z
      .array(taskEntrySchema)
      .exactOptional()
      .describe('In index order; absent only with `?tasks=false`'),
  })
  .meta({ examples: [{ ...jobHeadExample, tasks: [taskEntryExample] }] });

/** What `GET /api/jobs` lists, with and without `?heads=true`: one schema, for the same reason. */
export const listedJobSchema = jobDetailSchema
  .omit({ tasks: true })
  .partial()
  .extend(jobSummaryFields)
  .meta({ examples: [jobSummaryExample] });

const resultHead = { index: count(), task_id: z.string() };

export const taskErrorSchema = z.object({
  type: z.string().describe('Name of the kind of error'),
  message: z.string(),
});

export const taskResultSchema = z
  .union([
    z.object({
      ...resultHead,
      status: z.literal('completed'),
      value: z.unknown().describe('What the task function returned, any JSON'),
    }),
    z.object({ ...resultHead, status: z.enum(['failed', 'cancelled']), error: taskErrorSchema }),
  ])
  .meta({
    examples: [
      { index: 7, task_id: exampleIds.task, status: 'completed', value: 49 },
      {
        index: 8,
        task_id: `${exampleIds.job}.8`,
        status: 'failed',
        error: { type: 'TypeError', message: 'n is not a number' },
      },
    ],
  });

const workerFields = {
  id: z.string(),
  type: z.string().describe('`pc`, `android_node`, `browser`, …'),
  platform: z.string().describe('`linux`, `darwin`, `win32`, `android`, …'),
  status: z
    .enum(['online', 'busy', 'offline', 'waiting', 'draining', 'quarantined'])
    .describe(
      '`online`: has a free slot; `busy`: has none; `offline`: silent past its deadline; ' +
        '`waiting`: nobody has let it in yet; `draining`: finishes and takes nothing new; `quarantined`: fails what others complete',
    ),
  draining: z
    .object({
      since: timestamp('Null: from before this was noted').nullable(),
      deadline: timestamp(
        'What it still has then is given to others; null: what runs may take its time',
      ).nullable(),
    })
    .nullable()
    .describe('Null: it is not drained. What it still has is `active_tasks`'),
  leaving: z.boolean().describe('It has been told to end itself, and takes nothing new'),
  rests_because: z
    .string()
    .nullable()
    .describe(
      'It rests, as its owner or its device wants, and is given nothing: `paused`, `charging`, ' +
        '`battery`, `metered`, `hours`, `hidden` or another word; null: it works',
    ),
  rests_since: timestamp('The word may have changed since; null: it works').nullable(),
  active_tasks: count('Assigned and running attempts'),
  total_completed: count(),
  last_heartbeat: timestamp('Starts as the time of registration'),
  name: z.string().nullable(),
  slots: count('Attempts that it runs at the same time'),
  kinds: z.array(z.string()).describe('Kinds of programs that it can run'),
  runtimes: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe('Versions of what runs them, by kind, as it says; absent when it does not'),
  labels: z.record(z.string(), z.string()),
  isolation: z.string().describe('How it keeps task code from the rest of the device'),
  version: z.string().nullable().describe('Of its program; null when it does not say'),
  lease_seconds: z.number().describe('Silent for so long, it is taken for lost'),
  total_failed: count(),
  registered_at: timestamp(),
  telemetry: telemetrySchema,
  score: z.number().nullable().describe('Of the last decision; null when it was not ranked'),
  joined_by: z
    .object({ token_id: z.string(), label: z.string().nullable() })
    .exactOptional()
    .describe('By which token it registered, for admins; absent where none was needed'),
  waits_until: timestamp()
    .exactOptional()
    .describe('It waits for a person to let it in, and is removed then; absent: it is in'),
  refusing: z
    .object({
      offers: count().describe('In a row, since it began to pause'),
      until: timestamp().describe('It is given nothing before'),
      reason: z.string().nullable().describe('Of the last one, as it says'),
    })
    .exactOptional()
    .describe(
      'While it refuses tasks of one job after another and has completed or failed none since',
    ),
  series: workerSeriesSchema.exactOptional().describe('Where `?series=` asked for it'),
};

const workerExample = {
  id: exampleIds.worker,
  type: 'pc',
  platform: 'linux',
  status: 'online',
  draining: null,
  leaving: false,
  rests_because: null,
  rests_since: null,
  active_tasks: 1,
  total_completed: 310,
  last_heartbeat: exampleTime,
  name: 'desk',
  slots: 4,
  kinds: ['javascript'],
  runtimes: { javascript: '26.0.0' },
  labels: { gpu: 'yes' },
  isolation: 'ses',
  version: '0.1.0',
  lease_seconds: 15,
  total_failed: 2,
  registered_at: exampleTime,
  telemetry: { cpu_load_percent: 12.5, ram_available_mb: 8192, network_latency_ms: 3 },
  score: 0.81,
};

/** Of the answer to `drain`. */
export const drainingWorkerExample = {
  ...workerExample,
  status: 'draining',
  draining: { since: exampleTime, deadline: null },
};

export const workerSchema = z.object(workerFields).meta({ examples: [workerExample] });

const workerAttemptSchema = z.object({
  task_id: z.string(),
  job_id: z.string(),
  index: count(),
  attempt: count(),
  status: z.enum(['assigned', 'running']),
  assigned_at: timestamp(),
  started_at: timestamp('Null until it has begun').nullable(),
  progress: share('As last reported'),
});

export const workerDetailSchema = z
  .object({
    ...workerFields,
    quarantined_until: timestamp(
      'It gets nothing before; null when it is not in quarantine',
    ).nullable(),
    attempts: z
      .array(workerAttemptSchema)
      .describe('What it has now, the oldest first; at most 100'),
  })
  .meta({
    examples: [
      {
        ...workerExample,
        quarantined_until: null,
        attempts: [
          {
            task_id: exampleIds.task,
            job_id: exampleIds.job,
            index: 7,
            attempt: 1,
            status: 'running',
            assigned_at: exampleTime,
            started_at: exampleTime,
            progress: 0.4,
          },
        ],
      },
    ],
  });

export const workerFailureSchema = z
  .object({
    task_id: z.string(),
    job_id: z.string(),
    error_type: z
      .string()
      .describe('Name of the kind of error; of a lost or timed-out attempt the reason'),
    error_message: z.string(),
    failed_at: timestamp(),
  })
  .meta({
    examples: [
      {
        task_id: exampleIds.task,
        job_id: exampleIds.job,
        error_type: 'TypeError',
        error_message: 'n is not a number',
        failed_at: exampleTime,
      },
    ],
  });

export const deregistrationSchema = z
  .object({
    worker_id: z.string(),
    status: z.literal('deregistered'),
    requeued_tasks: count('Attempts that were taken back and wait for another worker'),
  })
  .meta({
    examples: [{ worker_id: exampleIds.worker, status: 'deregistered', requeued_tasks: 2 }],
  });

export const refusalSchema = z
  .object({ worker_id: z.string(), status: z.literal('refused') })
  .meta({ examples: [{ worker_id: exampleIds.worker, status: 'refused' }] });

export function workerNameSchema({ nameCharacters }: Limits) {
  const rule = `must be a line of 1 to ${nameCharacters} characters`;
  return z
    .strictObject({
      name: z
        .string(rule)
        .max(nameCharacters, rule)
        .regex(/^\P{Cc}+$/u, rule),
    })
    .meta({ title: 'WorkerName', examples: [{ name: 'second laptop' }] });
}

export const deletedJobSchema = z
  .object({ job_id: z.string(), status: z.literal('deleted') })
  .meta({ examples: [{ job_id: exampleIds.job, status: 'deleted' }] });

export const blobSchema = z
  .object({
    sha256: z.string().describe('Of the bytes, 64 hexadecimal digits in lower case'),
    size_bytes: count(),
  })
  .meta({ examples: [{ sha256: 'b5d4045c'.repeat(8), size_bytes: 1048577 }] });

export const clearedSchema = z
  .object({
    deleted: z.object({ jobs: count(), tasks: count(), workers: count(), checkpoints: count() }),
  })
  .meta({ examples: [{ deleted: { jobs: 12, tasks: 1500, workers: 4, checkpoints: 37 } }] });

const health = z.object({ status: z.enum(['starting', 'ready', 'stopping', 'failed']) });

const disk = z
  .object({
    is_full: z
      .boolean()
      .describe('Less is left than the floor: jobs, blobs of clients and checkpoints are refused'),
    free_bytes: count().describe('On the disk, and inside of the database'),
    floor_bytes: count().describe('So much must stay free (`--min-free-disk-mb`)'),
  })
  .exactOptional()
  .describe('Room for the database, where there is a floor');
const exampleDisk = { is_full: false, free_bytes: 51_200_000_000, floor_bytes: 256_000_000 };

export const readinessSchema = health
  .extend({ disk })
  .meta({ examples: [{ status: 'ready', disk: exampleDisk }] });

export const notReadySchema = errorBodySchema
  .extend({ status: health.shape.status.exactOptional() })
  .meta({ title: 'NotReady' });

export const storeHealthSchema = z.object({
  checked_at: timestamp('When the database was last looked at as a whole'),
  values: count().describe('Results, errors, inputs, programs and pieces of blobs in it'),
  unverified: count().describe('Those that were stored before there were hashes'),
  damaged: count().describe('What is damaged, once each; the log has the rest'),
});

export const healthSchema = health
  .extend({
    version: z.string().describe('Of the program'),
    store: storeHealthSchema
      .exactOptional()
      .describe('From the end of the first check on, some time after the start'),
    open: z
      .literal(true)
      .exactOptional()
      .describe('With `--open`: nobody is asked for a token, whoever can reach the coordinator'),
    disk,
  })
  .meta({
    examples: [
      {
        status: 'ready',
        version: '0.1.0',
        store: { checked_at: exampleTime, values: 12000, unverified: 0, damaged: 0 },
        disk: exampleDisk,
      },
    ],
  });
