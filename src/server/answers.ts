// The answers of a route for the published document: the schema of its success and the refusals that it
// may give.

import { z } from 'zod';
import type { ErrorCode } from '../protocol/error-codes.ts';
import { errorTable } from '../protocol/errors.ts';
import { errorBodySchema } from '../protocol/schemas/refusal.ts';
import type { Refusal } from './refusal.ts';

type Answers = Record<string, z.ZodType | Answer>;

export interface Answer {
  readonly description: string;
  readonly content: Record<string, { schema: z.ZodType; example?: unknown }>;
  /** Only of refusals. */
  readonly refusals?: readonly ExampleOf[];
}

/** A refusal that an answer may be, with its example where the route has one of its own. */
interface ExampleOf {
  readonly code: ErrorCode;
  readonly example?: Refusal | undefined;
}

type OwnExamples = Partial<Record<ErrorCode, Refusal>>;

/** Refusals that every route may give. */
const always = [
  'unauthorized',
  'forbidden',
  'quota_exceeded',
  'internal',
  'storage_failed',
  'store_damaged',
  'busy',
  'shutting_down',
  'leader_changed',
] as const;

/** Refusals of routes that read a body. */
export const bodyRefusals = ['validation_failed', 'payload_too_large', 'request_timeout'] as const;

export function answers(success: z.ZodType, ...refusals: ErrorCode[]): Answers {
  return { 200: json(success, 'What was asked for'), ...refused(refusals) };
}

/**
 * `examples`: of refusals that are told in other words here than elsewhere; `body`: a schema with more than
 * other refusals.
 */
export function refused(
  codes: readonly ErrorCode[],
  examples: OwnExamples = {},
  body: z.ZodType = errorBodySchema,
): Answers {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set<ErrorCode>([...codes, ...always])) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const entries = [...byStatus].map(([status, group]) => [status, refusal(group, examples, body)]);
  return Object.fromEntries(entries) as Answers;
}

/** `example`: when that of the schema does not fit this very answer. */
export function json(schema: z.ZodType, description: string, example?: unknown) {
  const media = example === undefined ? { schema } : { schema, example };
  return { description, content: { 'application/json': media } };
}

export const jobId = z.object({ job_id: z.string().describe('As the submission has answered it') });
export const workerId = z.object({
  worker_id: z.string().describe('As the list of workers shows it'),
});

function refusal(codes: readonly ErrorCode[], examples: OwnExamples, body: z.ZodType): Answer {
  const description = codes.map((code) => `\`${code}\`: ${errorTable[code].meaning}`).join(' ');
  const refusals = codes.map((code) => ({ code, example: examples[code] }));
  return { ...json(body, description), refusals };
}
