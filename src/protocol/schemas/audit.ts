// The audit log in answers.

import { z } from 'zod';
import { type AuditAction, auditActions, auditOutcomes } from '../audit.ts';
import { exampleIds, exampleTime } from './fields.ts';

export const actionNames = Object.keys(auditActions) as [AuditAction, ...AuditAction[]];

export const auditEntrySchema = z
  .object({
    id: z.int().describe('Rises from entry to entry'),
    at: z.iso.datetime().describe('Of repeated refusals, when the first was'),
    action: z.string().describe('One of the actions that `action` takes'),
    object: z.string().nullable().describe('What it was done to: an id'),
    outcome: z.enum(auditOutcomes),
    code: z.string().nullable().describe('Why not, as errors have it; null for what was done'),
    count: z.int().min(1).describe('How often: repetitions of some seconds are one entry'),
    token_id: z.string().nullable().describe('The token that was shown, where it is known'),
    role: z.string().nullable(),
    owner: z.string().nullable(),
    address: z.string().nullable().describe('Null: it came from no connection'),
  })
  .meta({
    examples: [
      {
        id: 4711,
        at: exampleTime,
        action: 'job.cancel',
        object: exampleIds.job,
        outcome: 'done',
        code: null,
        count: 1,
        token_id: '4k2m9x0b',
        role: 'client',
        owner: 'ann',
        address: '192.0.2.7',
      },
    ],
  });
