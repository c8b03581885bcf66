// The body of every answer that says no.

import { z } from 'zod';
import { type ErrorCode, errorTable } from '../errors.ts';

const codes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

export const errorBodySchema = z
  .object({
    detail: z.string().describe('One sentence that a person can act on'),
    code: z.enum(codes).describe('Stable; see the table of errors'),
    errors: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .exactOptional()
      .describe('Only with `validation_failed`: every place that breaks the schema'),
  })
  .meta({
    examples: [
      { detail: 'No job has the id "x".', code: 'unknown_job' },
      {
        detail: 'priority must be an integer from -1000 to 1000; 5000 was given.',
        code: 'validation_failed',
        errors: [{ path: 'priority', message: 'must be an integer from -1000 to 1000' }],
      },
    ],
  });
