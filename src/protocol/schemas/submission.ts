// Body of `POST /api/jobs`. Program source is checked for its size only: the coordinator never
// evaluates, nor parses, what a client sent.

import { z } from 'zod';
import type { Limits } from '../limits.ts';
import { closed, flag, integer, labels, number, oneOf, text } from './fields.ts';

const daySeconds = 86_400;
const monthSeconds = 30 * daySeconds;

/** Smallest and largest priority of a job or of one of its tasks. */
export const priorityField = integer(-1000, 1000);

/** A submission without its inputs: the first line of an NDJSON upload. */
export function jobHeadSubmissionSchema(limits: Limits) {
  return closed(headFields(limits));
}

export function submissionSchema(limits: Limits) {
  const { program, ...options } = headFields(limits);
  return closed({ program, inputs: inputsField(limits), ...options });
}

function inputsField(limits: Limits) {
  const sentence =
    `must be an array of 1 to ${limits.inputsPerJob} JSON values, ` +
    'or {"range": {"start": 0, "count": 1000}}';
  const range = closed({
    start: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    count: integer(1, limits.inputsPerJob),
  }).refine(
    ({ start, count }) => start <= Number.MAX_SAFE_INTEGER - (count - 1),
    'must end at 9007199254740991 or before',
  );
  return z.union(
    [
      z.array(z.unknown(), sentence).min(1, sentence).max(limits.inputsPerJob, sentence),
      closed({ range }),
    ],
    sentence,
  );
}

function headFields(limits: Limits) {
  const name = () => text(limits.nameCharacters);
  return {
    program: programField(limits),
    name: name().exactOptional(),
    client_id: name().exactOptional(),
    priority: priorityField.exactOptional(),
    task_priorities: z
      .array(priorityField, 'must be an array of integers, one for each input')
      .exactOptional(),
    max_attempts: integer(1, 1000).exactOptional(),
    max_lost_attempts: integer(1, 1000).exactOptional(),
    retry_delay_seconds: number(0, daySeconds).exactOptional(),
    attempt_timeout_seconds: timeout().exactOptional(),
    progress_timeout_seconds: timeout().exactOptional(),
    on_task_failure: oneOf(['continue', 'fail_job']).exactOptional(),
    late_results: oneOf(['accept', 'reject']).exactOptional(),
    requirements: requirementsField(limits).exactOptional(),
    checkpoint: closed({ interval_seconds: number(0.05, daySeconds) }).exactOptional(),
    speculation: closed({
      enabled: flag().exactOptional(),
      max_copies: integer(1, 10).exactOptional(),
      max_share: number(0, 1).exactOptional(),
    }).exactOptional(),
  };
}

function programField(limits: Limits) {
  const sentence = `must be a text of 1 to ${limits.programBytes} bytes (limit program_bytes)`;
  return closed({
    kind: z.literal('javascript', 'must be "javascript"'),
    source: z
      .string(sentence)
      .min(1, sentence)
      .refine((source) => isWithinBytes(source, limits.programBytes), sentence)
      .describe('An ES module whose default export is the task function'),
  });
}

function requirementsField(limits: Limits) {
  const names = () => {
    const sentence = 'must be an array of 1 to 64 texts';
    return z.array(text(limits.nameCharacters), sentence).min(1, sentence).max(64, sentence);
  };
  return closed({
    type: names().exactOptional(),
    platform: names().exactOptional(),
    min_ram_mb: number(0, 1_000_000_000).exactOptional(),
    min_battery_percent: number(0, 100).exactOptional(),
    isolation: text(limits.nameCharacters).exactOptional(),
    labels: labels(limits.nameCharacters, limits.labelsPerWorker).exactOptional(),
  });
}

function timeout() {
  const sentence = `must be a number of seconds from 0.1 to ${monthSeconds}, or null for none`;
  return z.number(sentence).min(0.1, sentence).max(monthSeconds, sentence).nullable();
}

/** A UTF-16 unit takes at most three bytes of UTF-8: most sources need not be measured. */
function isWithinBytes(source: string, limit: number): boolean {
  if (source.length > limit || source.length * 3 <= limit) return source.length <= limit;
  let bytes = 0;
  for (const character of source) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes <= limit;
}

export type SubmissionBody = z.infer<ReturnType<typeof submissionSchema>>;
export type JobHeadSubmission = z.infer<ReturnType<typeof jobHeadSubmissionSchema>>;
