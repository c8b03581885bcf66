// The body of every answer that says no.

import { z } from 'zod';
import type { ErrorCode } from '../error-codes.ts';
import { errorTable } from '../errors.ts';

const codes = Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]];

export const errorBodySchema = z.object({
  detail: z.string().describe('One sentence that a person can act on'),
  code: z.enum(codes).describe('Stable; see the table of errors'),
  quota: z.string().exactOptional().describe('Only with `quota_exceeded`: its name'),
  errors: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .exactOptional()
    .describe('Only with `validation_failed`: every place that breaks the schema'),
});
