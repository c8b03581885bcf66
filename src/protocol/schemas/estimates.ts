// Schemas of how fast a job gets on, and of when it will have ended.

import { z } from 'zod';
import { amount } from './fields.ts';

export const etaExample = {
  seconds: 600,
  low: 480,
  high: 780,
  method:
    'From the 1980 tasks that completed in the last 5 minutes; low and high from its fastest and slowest minute.',
  reason: null,
};

export const etaSchema = z
  .object({
    seconds: amount(
      'From now on; null when it cannot be told, and so are `low` and `high`',
    ).nullable(),
    low: amount('If it went on as in the fastest of the last minutes').nullable(),
    high: amount('If it went on as in the slowest of the last minutes').nullable(),
    method: z.string().describe('How it is estimated, in a sentence'),
    reason: z
      .string()
      .nullable()
      .describe('Why it cannot be told, in a sentence; null when it can be'),
  })
  .describe('When the job will have ended, by how fast its tasks complete')
  .meta({ examples: [etaExample] });

/** Of the head of a job. */
export const outlookFields = {
  rate_per_second: amount(
    'Tasks that completed in the last minute, per second; null when it cannot be told',
  ).nullable(),
  eta: etaSchema,
};
