// The answers of a route for the published document: the schema of its success and the refusals that it
// may give.

import { z } from 'zod';
import { errorTable, type ErrorCode } from '../protocol/errors.ts';
import { errorBodySchema } from '../protocol/schemas/refusal.ts';

type Answers = Record<string, z.ZodType | { description: string; content: Content }>;
type Content = Record<string, { schema: z.ZodType }>;

/** Refusals that every route may give. */
const always = [
  'forbidden',
  'internal',
  'storage_failed',
  'store_damaged',
  'busy',
  'shutting_down',
] as const;

/** Refusals of routes that read a body. */
export const bodyRefusals = ['validation_failed', 'payload_too_large', 'request_timeout'] as const;

export function answers(success: z.ZodType, ...refusals: ErrorCode[]): Answers {
  return { 200: json(success, 'What was asked for'), ...refused(refusals) };
}

export function refused(codes: readonly ErrorCode[]): Answers {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set<ErrorCode>([...codes, ...always])) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].map(([status, group]) => [status, refusal(group)]);
  return Object.fromEntries(entries) as Answers;
}

export function json(schema: z.ZodType, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

export const jobId = z.object({ job_id: z.string().describe('As the submission has answered it') });
export const workerId = z.object({
  worker_id: z.string().describe('As the list of workers shows it'),
});

function refusal(codes: readonly ErrorCode[]) {
  const description = codes.map((code) => `\`${code}\`: ${errorTable[code].meaning}`).join(' ');
  return json(errorBodySchema, description);
}
