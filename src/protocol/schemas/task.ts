// Schemas of one task with its whole story, of its checkpoints, and of the recovery events that tell
// what became of attempts that were lost.

import { z } from 'zod';
import { amount, count, exampleIds, exampleTime, share, timestamp } from './fields.ts';
import {
  taskEntryExample,
  taskEntryFields,
  taskErrorSchema,
  taskInputFields,
} from './resources.ts';

export const checkpointSchema = z
  .object({
    id: z.string(),
    job_id: z.string(),
    task_id: z.string(),
    task_index: count(),
    attempt: count('The attempt that wrote it'),
    sequence: count('Counts within the task'),
    worker_id: z.string(),
    progress: share('How far the task was'),
    kind: z.enum(['full', 'delta']),
    size_bytes: count('Of the state as JSON text'),
    stored_bytes: count('What it takes in the database'),
    sha256: z.string().describe('Of the state as JSON text, hexadecimal'),
    created_at: timestamp(),
  })
  .meta({
    examples: [
      {
        id: `${exampleIds.task}.2`,
        job_id: exampleIds.job,
        task_id: exampleIds.task,
        task_index: 7,
        attempt: 1,
        sequence: 2,
        worker_id: exampleIds.worker,
        progress: 0.4,
        kind: 'full',
        size_bytes: 1834,
        stored_bytes: 1834,
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        created_at: exampleTime,
      },
    ],
  });

const recoveryReasons = [
  'worker_lost',
  'connection_lost',
  'deregistered',
  'attempt_timeout',
  'worker_drained',
  'worker_rests',
  'coordinator_restart',
  'straggler',
] as const;

export const recoveryEventSchema = z
  .object({
    id: z.string(),
    job_id: z.string(),
    task_id: z.string(),
    task_index: count(),
    from_worker_id: z.string(),
    to_worker_id: z.string().nullable().describe('Null until the next assignment'),
    reason: z.enum(recoveryReasons).describe('Why the attempt was lost'),
    attempt: count('The attempt that was lost'),
    next_attempt: count().nullable().describe('Null until the next assignment'),
    checkpoint_id: z
      .string()
      .nullable()
      .describe('What the next attempt went on from, if anything'),
    resumed_from_progress: share('How far the task was in that checkpoint').nullable(),
    lost_at: timestamp(),
    resumed_at: timestamp('When the next attempt started; null before').nullable(),
    work_saved_seconds: amount('Work that the checkpoint spared the next attempt'),
    time_lost_seconds: amount('Work of the lost attempt that has to be done again'),
    outcome: z
      .enum(['requeued', 'resumed', 'restarted', 'adopted', 'failed'])
      .describe('`requeued` until the next assignment says what became of the task'),
  })
  .meta({
    examples: [
      {
        id: '17',
        job_id: exampleIds.job,
        task_id: exampleIds.task,
        task_index: 7,
        from_worker_id: exampleIds.worker,
        to_worker_id: exampleIds.otherWorker,
        reason: 'worker_lost',
        attempt: 1,
        next_attempt: 2,
        checkpoint_id: `${exampleIds.task}.2`,
        resumed_from_progress: 0.4,
        lost_at: exampleTime,
        resumed_at: '2026-05-04T09:30:01.312Z',
        work_saved_seconds: 12.4,
        time_lost_seconds: 1.7,
        outcome: 'resumed',
      },
    ],
  });

const attemptStatuses = [
  'assigned',
  'running',
  'completed',
  'failed',
  'lost',
  'timed_out',
  'revoked',
  'refused',
  'released',
  'withdrawn',
  'superseded',
] as const;

const faultSchema = taskErrorSchema.extend({
  stack: z
    .string()
    .exactOptional()
    .describe(
      'Frames of the program, innermost first, a line for each: `at total (program:3:14)`. Places are ' +
        'those in the program as submitted, which `GET …/program` gives. Absent when none is known',
    ),
});

export const attemptEntrySchema = z.object({
  attempt: count('Counts from 1'),
  count: count(
    'Attempts in a row that this entry stands for: more than 1 where a worker refused or gave back ' +
      'again and again; `attempt` is the first of them',
  ),
  worker_id: z.string(),
  status: z
    .enum(attemptStatuses)
    .describe(
      '`released`: the worker gave it back; `withdrawn`: it was taken back before the worker asked for ' +
        'it, and the next attempt has the same number',
    ),
  assigned_at: timestamp().nullable(),
  started_at: timestamp().nullable(),
  ended_at: timestamp().nullable(),
  error: faultSchema.nullable(),
  output_available: z
    .literal(true)
    .exactOptional()
    .describe('What it printed is kept: `GET …/output?attempt=`'),
});

export const taskDetailSchema = z
  .object({
    ...taskEntryFields,
    ...taskInputFields,
    job_id: z.string(),
    priority: z.int(),
    attempts: z.array(attemptEntrySchema).describe('Oldest first; the newest may still run'),
    assigned_at: timestamp().nullable(),
    started_at: timestamp().nullable(),
    completed_at: timestamp().nullable(),
    run_seconds: amount('As the worker measured it; null until it completed').nullable(),
    progress: share('As last reported').nullable(),
    progress_message: z.string().nullable(),
    not_before: timestamp('Not assigned again before this moment; null: at once').nullable(),
    error: faultSchema.nullable(),
    checkpoints: z.array(checkpointSchema).describe('Oldest first'),
    result: z
      .unknown()
      .describe('Null unless completed; `result_available` tells a null result from none'),
  })
  .meta({
    examples: [
      {
        ...taskEntryExample,
        input: 7,
        job_id: exampleIds.job,
        priority: 0,
        attempts: [
          {
            attempt: 1,
            count: 1,
            worker_id: exampleIds.worker,
            status: 'completed',
            assigned_at: exampleTime,
            started_at: exampleTime,
            ended_at: exampleTime,
            error: null,
          },
        ],
        assigned_at: exampleTime,
        started_at: exampleTime,
        completed_at: exampleTime,
        run_seconds: 1.25,
        progress: null,
        progress_message: null,
        not_before: null,
        error: null,
        checkpoints: [],
        result: 49,
      },
    ],
  });
