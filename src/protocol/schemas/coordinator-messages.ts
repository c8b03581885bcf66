// Schemas of the messages that the coordinator sends on a worker's socket, for the published description. They
// validate nothing at run time, only in tests.

import { z } from 'zod';
import { count, integer } from './fields.ts';
import {
  acceptedReportSchema,
  checkpointStateSchema,
  ownerSchema,
  keepOutputSchema,
  liveOutputSchema,
  memorySchema,
  programSchema,
  rejectedReportSchema,
  stopOrderSchema,
} from './worker-calls.ts';

const attempts = z.array(stopOrderSchema);

const jobProgramSchema = z.object({
  program: programSchema,
  attempt_timeout_seconds: z.number().nullable(),
  checkpoint_interval_seconds: z.number().nullable(),
  keep_output: keepOutputSchema.exactOptional(),
  live_output: liveOutputSchema.exactOptional(),
  memory_mb: memorySchema.exactOptional(),
});

const assignmentSchema = z.object({
  task_id: z.string(),
  attempt: integer(1, Number.MAX_SAFE_INTEGER),
  token: z.string(),
  job_id: z.string(),
  owner: ownerSchema.exactOptional(),
  index: count(),
  priority: z.int().exactOptional().describe('Of what waits, larger goes first; absent: 0'),
  input: z.unknown(),
  checkpoint: checkpointStateSchema.exactOptional().describe('Absent: a fresh start'),
});

const heartbeatAnswerSchema = z.object({
  heartbeat_id: z.number(),
  stop: attempts,
  heartbeat_interval_seconds: z.number(),
  drain: z.boolean(),
  warnings: z.array(z.string()),
});

/** By type, in the order in which a worker meets them. */
export const coordinatorMessageSchemas = {
  welcome: z
    .object({
      type: z.literal('welcome'),
      protocol: z.int(),
      worker_id: z.string(),
      worker_token: z
        .string()
        .exactOptional()
        .describe('Only in answer to a new registration; keep it, it is not told again'),
      heartbeat_interval_seconds: z.number(),
      lease_seconds: z.number().describe('Silent for so long, the worker is taken for lost'),
      drain: z.boolean(),
      waiting_for_approval: z
        .literal(true)
        .exactOptional()
        .describe('It is given nothing before a person has let it in; then `approved` follows'),
      coordinator_name: z
        .string()
        .exactOptional()
        .describe('What the operator calls it; absent when it has no name'),
      coordinators: z
        .array(z.string())
        .exactOptional()
        .describe(
          'Where others of its cluster are reached, best first; absent when there are none',
        ),
      stop: attempts.describe('Held attempts that are no longer wanted; all others are adopted'),
      warnings: z
        .array(z.string())
        .exactOptional()
        .describe('What of the `hello` was not read, and why'),
    })
    .describe('Answer to `hello`: the worker is known from now on'),
  assign: z
    .object({
      type: z.literal('assign'),
      sequence: count('Rises by one per frame; told back in heartbeats'),
      programs: z
        .record(z.string(), jobProgramSchema)
        .describe('What belongs to the jobs of these assignments, by job id'),
      assignments: z.array(assignmentSchema),
    })
    .describe('Tasks to run'),
  ack: z
    .object({
      type: z.literal('ack'),
      accepted: z.array(acceptedReportSchema),
      heartbeat: heartbeatAnswerSchema
        .exactOptional()
        .describe('Present in the answer to a heartbeat'),
    })
    .describe('The named reports are durable; the worker may forget them'),
  reject: z
    .object({ type: z.literal('reject'), rejected: z.array(rejectedReportSchema) })
    .describe('The named reports were not taken and need not be sent again'),
  cancel: z
    .object({ type: z.literal('cancel'), attempts })
    .describe('Stop these: they are over; `reason` says why'),
  revoke: z
    .object({ type: z.literal('revoke'), attempts })
    .describe('Stop these: the attempts lost their standing'),
  recall: z
    .object({
      type: z.literal('recall'),
      attempts: z.array(z.object({ task_id: z.string(), attempt: count() })),
    })
    .describe('Give these back if they have not begun; answered by `release` for those'),
  drain: z
    .object({ type: z.literal('drain'), drain: z.boolean() })
    .describe('True: take nothing new, save what runs (a checkpoint ends it). False: go on'),
  approved: z
    .object({ type: z.literal('approved') })
    .describe('A person has let the worker in: from now on it may be given work'),
  greet: z
    .object({ type: z.literal('greet'), id: count('Told back as `greeting`') })
    .describe('Say `hello` again, on this connection: whoever decides here has changed'),
  ping: z.object({ type: z.literal('ping') }).describe('Answer with a heartbeat at once'),
  deregistered: z
    .object({
      type: z.literal('deregistered'),
      detail: z.string(),
      register_after_seconds: z
        .number()
        .exactOptional()
        .describe('Present when a new registration is welcome after this pause'),
    })
    .describe('The worker was removed; it must not come back by itself'),
  error: z
    .object({
      type: z.literal('error'),
      code: z.string(),
      detail: z.string(),
      fatal: z.boolean().describe('True: the connection is closed now'),
    })
    .describe('The frame or the message could not be taken'),
} as const;
