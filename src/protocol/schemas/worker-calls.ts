// Schemas of the calls of a worker over plain HTTP: requests and answers. The entries of a report are
// validated one by one where they are read: a bad one is rejected without spoiling the others.

import { z } from 'zod';
import type { Limits } from '../limits.ts';
import { jobOptions } from '../job-options.ts';
import { defaultTaskMemoryMb } from '../task-memory.ts';
import { localOwner, ownerCharactersMax } from '../owner.ts';
import { commandName } from '../program.ts';
import { closed, count, exampleIds, integer, number, share } from './fields.ts';
import { telemetrySchema } from './telemetry.ts';
import {
  attemptRef,
  deviceFields,
  heartbeatAttemptSchema,
  isSmall,
  presenceFields,
  reportSchemas,
} from './worker-messages.ts';

/** The longest time for which a long poll is held open. */
export const longestWaitSeconds = 30;

const exampleToken = 'k7Q2vXh0m9yRr1oYzv3Q4w';
/** The hash of the program below. */
const exampleProgramHash = '5c26b47ebd2d1dd75f2f89f191e7a724e145fc8859a17b6fabb08c2645668889';
const exampleAttempt = { task_id: exampleIds.task, attempt: 1, token: exampleToken };

/** The document asks for valid telemetry, the reader accepts any object: one bad sensor spoils no call. */
export function registrationSchema(limits: Limits, telemetry: z.ZodType = telemetrySchema) {
  return closed({ ...deviceFields(limits), telemetry: telemetry.exactOptional() })
    .refine(...isSmall(limits))
    .meta({
      title: 'WorkerRegistration',
      examples: [
        {
          type: 'pc',
          platform: 'linux',
          name: 'desk',
          slots: 2,
          telemetry: { cpu_load_percent: 12.5, ram_available_mb: 8192 },
        },
      ],
    });
}

export const registeredSchema = z
  .object({
    worker_id: z.string(),
    worker_token: z.string().describe('Keep it: every further call needs it'),
    heartbeat_interval_seconds: z.number(),
    lease_seconds: z.number().describe('Silent for so long, the worker is taken for lost'),
    waiting_for_approval: z
      .literal(true)
      .exactOptional()
      .describe('Its claims bring nothing before a person has let it in'),
    warnings: z
      .array(z.string())
      .exactOptional()
      .describe('Measurements that could not be used, and why; absent when all could'),
  })
  .meta({
    examples: [
      {
        worker_id: exampleIds.worker,
        worker_token: 'u0cQ0c7Yw1r0n8oB2vJkS3yD5fTg6hLpQ9xZaVbNmXs',
        heartbeat_interval_seconds: 5,
        lease_seconds: 15,
      },
    ],
  });

export function heartbeatCallSchema(telemetry: z.ZodType = telemetrySchema) {
  return closed({
    telemetry,
    running: z
      .array(heartbeatAttemptSchema, 'must be an array of attempts')
      .exactOptional()
      .describe('Every attempt that the worker holds'),
    ...presenceFields,
  }).meta({
    title: 'Heartbeat',
    examples: [
      {
        telemetry: { cpu_load_percent: 40, ram_available_mb: 4096 },
        running: [{ ...exampleAttempt, progress: 0.4 }],
      },
    ],
  });
}

export const stopOrderSchema = z.object({
  task_id: z.string(),
  attempt: count(),
  reason: z.string(),
});

export const heartbeatCallAnswerSchema = z
  .object({
    stop: z.array(stopOrderSchema).describe('Attempts to end: nobody wants them any more'),
    heartbeat_interval_seconds: z.number(),
    drain: z.boolean().describe('True: claim nothing new'),
    warnings: z.array(z.string()).describe('Measurements that could not be used, and why'),
  })
  .meta({
    examples: [{ stop: [], heartbeat_interval_seconds: 5, drain: false, warnings: [] }],
  });

export function claimSchema(limits: Limits) {
  return closed({
    max: integer(1, limits.slotsPerWorker)
      .exactOptional()
      .describe('Most assignments at once; default: as many as there are'),
    wait_seconds: number(0, longestWaitSeconds)
      .exactOptional()
      .describe('How long to wait for the first one; default 0'),
  }).meta({ title: 'Claim', examples: [{ max: 1, wait_seconds: 20 }] });
}

export const checkpointStateSchema = z.object({
  sequence: count(),
  progress: share('How far the task was'),
  state: z.unknown(),
});

const sha256Schema = z
  .string()
  .describe(
    'SHA-256, hex; of JavaScript that shares nothing it is that of the JSON text `{"kind":…,"source":…}`. The same program and shared value, the same hash',
  );

const programFields = {
  kind: z
    .union([
      z.enum(['javascript', 'wasm', 'python']),
      z.templateLiteral(['command:', z.string().regex(commandName)]),
    ])
    .describe('As in `kinds` of the worker'),
  source: z.string().exactOptional().describe('Of a program in JavaScript: its module'),
  definition: z
    .unknown()
    .exactOptional()
    .describe('A program of another kind, as it was submitted: an object'),
  shared: z
    .unknown()
    .exactOptional()
    .describe('The value that all tasks of the job share; it may refer to a blob'),
};

/** With neither `source` nor `definition` it is one that the worker keeps. */
export const programSchema = z.object({ ...programFields, sha256: sha256Schema.exactOptional() });

const claimedProgramSchema = z.object({ ...programFields, sha256: sha256Schema });

export const ownerSchema = z
  .string()
  .min(1)
  .max(ownerCharactersMax)
  .describe('Whose job it is: never run code of two owners in one process');

export const keepOutputSchema = z
  .enum(jobOptions.keep_output.words)
  .describe('When a report should bring what the attempt printed; absent: only with a failure');

export const liveOutputSchema = z
  .boolean()
  .describe('True: what the attempt prints is wanted while it runs, as `outputs` of a report');

export const memorySchema = z
  .int()
  .describe(`What the attempt may take; absent: ${defaultTaskMemoryMb}`);

export const claimedAssignmentSchema = z.object({
  task_id: z.string(),
  job_id: z.string(),
  owner: ownerSchema,
  index: count(),
  priority: z.int().exactOptional().describe('Of what waits at the worker, larger goes first'),
  attempt: count(),
  token: z.string().describe('Names the attempt in reports, with `task_id` and `attempt`'),
  input: z.unknown(),
  program: claimedProgramSchema,
  checkpoint: checkpointStateSchema.nullable().describe('Go on from here; null: begin anew'),
  lease_seconds: z.number(),
  attempt_timeout_seconds: z.number().nullable(),
  checkpoint_interval_seconds: z.number().nullable(),
  keep_output: keepOutputSchema.exactOptional(),
  live_output: liveOutputSchema.exactOptional(),
  memory_mb: memorySchema.exactOptional(),
});

export const claimAnswerSchema = z.object({ assignments: z.array(claimedAssignmentSchema) }).meta({
  examples: [
    { assignments: [] },
    {
      assignments: [
        {
          ...exampleAttempt,
          job_id: exampleIds.job,
          owner: localOwner,
          index: 7,
          input: 7,
          program: {
            kind: 'javascript',
            sha256: exampleProgramHash,
            source: 'export default (n) => n * n',
          },
          checkpoint: null,
          lease_seconds: 15,
          attempt_timeout_seconds: 3600,
          checkpoint_interval_seconds: null,
        },
      ],
    },
  ],
});

/** The arrays of a report by the kind of their entries, in the order in which they are decided. */
export const reportArrays = {
  started: 'started',
  progress: 'progress',
  output: 'outputs',
  checkpoint: 'checkpoints',
  result: 'results',
  failure: 'failures',
  refusal: 'refusals',
} as const;

/** For the document: a valid report. */
export const reportSchema = closed({
  started: z.array(reportSchemas.started).exactOptional(),
  progress: z.array(reportSchemas.progress).exactOptional(),
  outputs: z.array(reportSchemas.output).exactOptional(),
  checkpoints: z.array(reportSchemas.checkpoint).exactOptional(),
  results: z.array(reportSchemas.result).exactOptional(),
  failures: z.array(reportSchemas.failure).exactOptional(),
  refusals: z.array(reportSchemas.refusal).exactOptional(),
}).meta({
  examples: [
    { started: [exampleAttempt] },
    { results: [{ ...exampleAttempt, value: 49, run_ms: 12.5 }] },
    { failures: [{ ...exampleAttempt, error_type: 'TypeError', error_message: 'no number' }] },
  ],
});

export const giveBackSchema = closed({
  attempts: z
    .array(z.object(attemptRef), 'must be an array of attempts')
    .describe('What the program held that ends'),
}).meta({ title: 'Given back', examples: [{ attempts: [exampleAttempt] }] });

const entries = () => z.array(z.unknown(), 'must be an array').exactOptional();

/** For the reader: arrays of anything, whose entries are validated one by one. */
export const reportEnvelopeSchema = closed({
  started: entries(),
  progress: entries(),
  outputs: entries(),
  checkpoints: entries(),
  results: entries(),
  failures: entries(),
  refusals: entries(),
});

const reportKind = z.enum([
  'started',
  'progress',
  'output',
  'checkpoint',
  'result',
  'failure',
  'refusal',
  'release',
]);

export const acceptedReportSchema = z.object({
  task_id: z.string(),
  attempt: count(),
  kind: reportKind,
});

export const rejectedReportSchema = z.object({
  task_id: z.string().nullable().describe('Null when the entry named none'),
  attempt: z.number().nullable().describe('Null when the entry named none'),
  kind: reportKind,
  code: z.string().describe('`stale_attempt`, `not_yours`, `invalid_report`, …'),
  detail: z.string(),
});

export const reportAnswerSchema = z
  .object({
    accepted: z.array(acceptedReportSchema),
    rejected: z.array(rejectedReportSchema),
  })
  .meta({
    examples: [
      {
        accepted: [{ task_id: exampleIds.task, attempt: 1, kind: 'result' }],
        rejected: [
          {
            task_id: `${exampleIds.job}.8`,
            attempt: 1,
            kind: 'result',
            code: 'stale_attempt',
            detail: 'A newer attempt has replaced this one.',
          },
        ],
      },
    ],
  });
