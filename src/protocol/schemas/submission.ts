// Body of `POST /api/jobs`: the program, the inputs, and a field for each row of `job-options.ts`.
// Of a program the form is checked (`programs/`), of its source the size only: the coordinator never evaluates, nor
// parses, what a client sent.

import { z } from 'zod';
import {
  defaultText,
  isolationNames,
  jobEnds,
  type JobOption,
  type JobOptionName,
  jobOptions,
  largestPriority,
  notifyBounds,
  type SubmittedOptions,
} from '../job-options.ts';
import { defaultLimits, type Limits } from '../limits.ts';
import { closed, flag, integer, labels, number, oneOf, text } from './fields.ts';
import { programField } from './programs/program.ts';

export const priorityField = integer(-largestPriority, largestPriority);

/** A submission without its inputs: the first line of an NDJSON upload. */
export function jobHeadSubmissionSchema(limits: Limits) {
  return closed(headFields(limits));
}

export function submissionSchema(limits: Limits) {
  const { program, shared, ...options } = headFields(limits);
  return closed({ program, inputs: inputsField(limits), shared, ...options }).meta({
    title: 'JobSubmission',
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

/** The sentence that says what inputs must be. */
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
  const shared = z
    .unknown()
    .exactOptional()
    .describe(
      'The value that all tasks share, any JSON, or {"$blob": "<sha256>"}, or {"$bytes": …}',
    );
  return { program: programField(limits), shared, ...optionFields(limits) };
}

/** A field for each row of `job-options.ts`, which takes exactly the type that clients are given. */
type OptionFields = {
  readonly [Name in JobOptionName]: z.ZodExactOptional<z.ZodType<Required<SubmittedOptions>[Name]>>;
};

/** The options of a job as it is told what was chosen for it. */
export function chosenOptionsSchema() {
  return z
    .object(optionFields(defaultLimits))
    .omit({
      name: true,
      client_id: true,
      priority: true,
      task_priorities: true,
      hold: true,
      notify: true,
    })
    .describe('As they were submitted, with the defaults; what stands beside them is not repeated');
}

function optionFields(limits: Limits): OptionFields {
  const fields = Object.entries<JobOption>(jobOptions).map(([name, option]) => {
    const preset = defaultText(option);
    const meaning = preset === undefined ? option.meaning : `${option.meaning}; default ${preset}`;
    return [name, optionField(option, limits).exactOptional().describe(meaning)];
  });
  return Object.fromEntries(fields) as OptionFields;
}

function optionField(option: JobOption, limits: Limits): z.ZodType {
  switch (option.type) {
    case 'text':
      return text(limits.nameCharacters);
    case 'flag':
      return flag();
    case 'integer':
      return integer(option.least, option.most);
    case 'number':
      return number(option.least, option.most);
    case 'time limit':
      return timeLimit(option.least, option.most);
    case 'word':
      return oneOf(option.words);
    case 'interval':
      return closed({ interval_seconds: number(option.least, option.most) });
    case 'priorities':
      return z.array(priorityField, 'must be an array of integers, one for each input');
    case 'requirements':
      return requirementsField(limits);
    case 'notify':
      return notifyField();
    case 'speculation':
      return closed({
        enabled: flag().exactOptional(),
        max_copies: integer(1, 10).exactOptional(),
        max_share: number(0, 1).exactOptional(),
      });
  }
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

/** What the address may lead to is checked where it is read, and again when it is used. */
function notifyField() {
  const { targets, urlCharacters, secretCharacters } = notifyBounds;
  const { least, most } = secretCharacters;
  const sentence = `must be an array of 1 to ${targets} objects like {"url": "https://example.org/hook"}`;
  const address = `must be an address of at most ${urlCharacters} characters that begins with http:// or https://`;
  const secret = `must be a text of ${least} to ${most} visible ASCII characters`;
  const ends = `must be an array of one or more of ${jobEnds.join(', ')}`;
  const target = closed({
    url: z
      .string(address)
      .max(urlCharacters, address)
      .regex(/^https?:\/\/[\x21-\x7e]+$/i, address)
      .describe('Is sent the message; without a name or password in it'),
    on: z
      .array(z.enum(jobEnds, ends), ends)
      .min(1, ends)
      .max(jobEnds.length, ends)
      .exactOptional()
      .describe('Of which ends it is told; default all'),
    secret: z
      .string(secret)
      .min(least, secret)
      .max(most, secret)
      .regex(/^[\x21-\x7e]+$/, secret)
      .exactOptional()
      .describe('Signs the message; is in no answer'),
  });
  return z.array(target, sentence).min(1, sentence).max(targets, sentence);
}

function timeLimit(least: number, most: number) {
  const sentence = `must be a number of seconds from ${least} to ${most}, or null for none`;
  return z.number(sentence).min(least, sentence).max(most, sentence).nullable();
}

export type SubmissionBody = z.infer<ReturnType<typeof submissionSchema>>;
export type JobHeadSubmission = z.infer<ReturnType<typeof jobHeadSubmissionSchema>>;
