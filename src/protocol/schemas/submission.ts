// Body of `POST /api/jobs`. Program source is checked for its size only: the coordinator never
// evaluates, nor parses, what a client sent.

import { z } from 'zod';
import type { Limits } from '../limits.ts';
import { isolationNames } from '../resources.ts';
import { closed, flag, integer, isWithinBytes, labels, number, oneOf, text } from './fields.ts';

const daySeconds = 86_400;
const monthSeconds = 30 * daySeconds;

/** Of a job or of one of its tasks; the smallest is the negative of it. */
export const largestPriority = 1000;
export const priorityField = integer(-largestPriority, largestPriority);

/** A submission without its inputs: the first line of an NDJSON upload. */
export function jobHeadSubmissionSchema(limits: Limits) {
  return closed(headFields(limits));
}

export function submissionSchema(limits: Limits) {
  const { program, ...options } = headFields(limits);
  return closed({ program, inputs: inputsField(limits), ...options }).meta({
    examples: [
      {
        program: { kind: 'javascript', source: 'export default (n) => n * n' },
        inputs: [1, 2, 3],
        name: 'squares',
      },
      {
        program: { kind: 'javascript', source: 'export default (n) => n * n' },
        inputs: { range: { start: 0, count: 1000 } },
        client_id: 'lab-3',
        requirements: { type: ['pc'], min_ram_mb: 512 },
      },
    ],
  });
}

/** What inputs must be. */
export function inputsSentence(limits: Limits): string {
  return (
    `must be an array of 1 to ${limits.inputsPerJob} JSON values, ` +
    'or {"range": {"start": 0, "count": 1000}}'
  );
}

function inputsField(limits: Limits) {
  const sentence = inputsSentence(limits);
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
    name: name().exactOptional().describe('For people'),
    client_id: name().exactOptional().describe('Your label; default `anonymous`'),
    priority: priorityField
      .exactOptional()
      .describe('Larger first under the `priority` algorithm; default 0'),
    task_priorities: z
      .array(priorityField, 'must be an array of integers, one for each input')
      .exactOptional()
      .describe('One for each input; default: the priority of the job'),
    max_attempts: integer(1, 1000)
      .exactOptional()
      .describe('Tries of a task that reports errors; default 3'),
    max_lost_attempts: integer(1, 1000)
      .exactOptional()
      .describe('Tries whose worker got lost; default 5'),
    retry_delay_seconds: number(0, daySeconds)
      .exactOptional()
      .describe('Before the second try, grows after that; default 1'),
    attempt_timeout_seconds: timeout()
      .exactOptional()
      .describe('From start; null for none; default 3600'),
    progress_timeout_seconds: timeout()
      .exactOptional()
      .describe('Without news of progress; default null'),
    on_task_failure: oneOf(['continue', 'fail_job'])
      .exactOptional()
      .describe('`fail_job`: the rest is cancelled; default `continue`'),
    late_results: oneOf(['accept', 'reject'])
      .exactOptional()
      .describe('Results of attempts that were given up; default `accept`'),
    requirements: requirementsField(limits)
      .exactOptional()
      .describe('What a worker must have to get a task of this job'),
    checkpoint: closed({ interval_seconds: number(0.05, daySeconds) })
      .exactOptional()
      .describe('How often a task may save its state'),
    speculation: closed({
      enabled: flag().exactOptional(),
      max_copies: integer(1, 10).exactOptional(),
      max_share: number(0, 1).exactOptional(),
    })
      .exactOptional()
      .describe('Reserved: only `enabled: false` is taken'),
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

export function requirementsField(limits: Limits) {
  const names = () => {
    const sentence = 'must be an array of 1 to 64 texts';
    return z.array(text(limits.nameCharacters), sentence).min(1, sentence).max(64, sentence);
  };
  return closed({
    type: names().exactOptional(),
    platform: names().exactOptional(),
    min_ram_mb: number(0, 1_000_000_000).exactOptional(),
    min_battery_percent: number(0, 100).exactOptional(),
    isolation: oneOf(isolationNames).exactOptional(),
    labels: labels(limits.nameCharacters, limits.labelsPerWorker).exactOptional(),
  });
}

function timeout() {
  const sentence = `must be a number of seconds from 0.1 to ${monthSeconds}, or null for none`;
  return z.number(sentence).min(0.1, sentence).max(monthSeconds, sentence).nullable();
}

export type SubmissionBody = z.infer<ReturnType<typeof submissionSchema>>;
export type JobHeadSubmission = z.infer<ReturnType<typeof jobHeadSubmissionSchema>>;
