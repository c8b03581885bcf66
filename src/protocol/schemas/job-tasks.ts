// Schemas of the tasks of a job as a list, and of its errors by kinds.

import { z } from 'zod';
import { amount, count, exampleIds, exampleTime, timestamp } from './fields.ts';
import {
  taskEntryExample,
  taskEntryFields,
  taskErrorSchema,
  taskInputFields,
} from './resources.ts';

export const taskListingSchema = z
  .object({
    ...taskEntryFields,
    ...taskInputFields,
    assigned_at: timestamp('Of the newest attempt').nullable(),
    started_at: timestamp('Of the newest attempt').nullable(),
    completed_at: timestamp('When it completed, failed or was cancelled').nullable(),
    run_seconds: amount('As the worker measured it; null until it completed').nullable(),
    error: taskErrorSchema.nullable().describe('Of a task that has failed'),
  })
  .meta({
    examples: [
      {
        ...taskEntryExample,
        assigned_at: exampleTime,
        started_at: exampleTime,
        completed_at: exampleTime,
        run_seconds: 1.25,
        error: null,
      },
    ],
  });

const column = (meaning: string) => z.array(count()).describe(meaning);

export const taskMapSchema = z
  .object({
    from: count('Index of the first task'),
    to: count('Index behind the last task'),
    width: z.int().min(1).describe('How many tasks a cell has; the last one may have fewer'),
    counts: z
      .object({
        pending: column('Those that were never given out are among them'),
        assigned: column('Given to a worker, which has not begun'),
        running: column('A worker is at them'),
        completed: column('Their results are there'),
        failed: column('They have failed for good'),
        cancelled: column('Cancelled with their job'),
      })
      .describe('A number for each cell, in index order'),
  })
  .meta({
    examples: [
      {
        from: 0,
        to: 10,
        width: 4,
        counts: {
          pending: [0, 1, 2],
          assigned: [0, 1, 0],
          running: [0, 2, 0],
          completed: [3, 0, 0],
          failed: [1, 0, 0],
          cancelled: [0, 0, 0],
        },
      },
    ],
  });

const kindSchema = z.object({
  type: z.string().describe('Name of the kind of error; of a lost or timed-out attempt the reason'),
  message: z
    .string()
    .describe(
      'What all of them say, at most 500 characters. Where they differ, `#` stands for a number, `<id>` ' +
        'for an id or a hash and `"…"` for what is in quotes',
    ),
  varies: z.boolean().describe('The messages differ'),
  example_message: z.string().describe('As the first of them says it'),
  attempts: count(),
  tasks: count(),
  workers: count(),
  examples: z.array(count()).describe('Indices of the first tasks that had it, at most three'),
  completed_elsewhere: z
    .array(count())
    .describe('Those of `examples` that a worker completed on which none of the kind had failed'),
});

export const jobErrorsSchema = z
  .object({
    job_id: z.string(),
    complete: z
      .boolean()
      .describe(
        'False when there are more attempts than were looked at (200 000), or more than 1000 kinds',
      ),
    attempts: count('Those that were looked at: they failed, were lost or timed out'),
    kinds: z.array(kindSchema).describe('The most frequent first'),
  })
  .meta({
    examples: [
      {
        job_id: exampleIds.job,
        complete: true,
        attempts: 9120,
        kinds: [
          {
            type: 'RangeError',
            message: 'row # is empty',
            varies: true,
            example_message: 'row 17 is empty',
            attempts: 9120,
            tasks: 3040,
            workers: 12,
            examples: [17, 18, 23],
            completed_elsewhere: [],
          },
        ],
      },
    ],
  });
