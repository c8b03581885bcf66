// Turns the body of `POST /api/jobs` into a `Submission` for the coordinator: validated, with all
// defaults, times in milliseconds, inputs as the JSON texts that were sent.

import type { Requirements } from '../core/records.ts';
import type { Submission, SubmissionInputs } from '../coordinator/port/jobs.ts';
import {
  type JobRequirements,
  jobOptions,
  largestPriority,
  speculationDefaults,
} from '../protocol/job-options.ts';
import { defaultTaskMemoryMb } from '../protocol/task-memory.ts';
import { deepestNesting, type Limits } from '../protocol/limits.ts';
import {
  inputsSentence,
  jobHeadSubmissionSchema,
  type JobHeadSubmission,
  priorityField,
  submissionSchema,
} from '../protocol/schemas/submission.ts';
import { KnownHeads } from './known-heads.ts';
import { type PayloadList, type Payloads, type Reading, readJson } from './json-reader.ts';
import { submissionRules } from './reading-rules.ts';
import { notifyTargets } from './notify-targets.ts';
import { Refusal } from './refusal.ts';
import { problemOf, validated } from './validation.ts';
import type { AddressRules } from './webhooks/address-rules.ts';

/** Bound for a priority as JSON text, with room for `1.0e2` and the like. */
const longestPriorityBytes = 64;

type Body = Extract<Reading, { ok: true }>;

export interface SubmissionReader {
  /** A whole JSON body. */
  read(body: Body): Promise<{ readonly submission: Submission; readonly inputs: SubmissionInputs }>;
  /** The first line of an NDJSON upload. */
  readHead(line: Buffer): Promise<Submission>;
}

/** `rules` is null where nobody is told of the ends of jobs. */
export function createSubmissionReader(
  limits: Limits,
  rulesOfWebhooks: AddressRules | null,
): SubmissionReader {
  const whole = submissionSchema(limits);
  const head = jobHeadSubmissionSchema(limits);
  const rules = submissionRules(limits);
  const known = new KnownHeads();
  return {
    async read({ value, payloads }) {
      const lists = takeLists(value, payloads);
      refuseTooMany(lists.inputs, limits);
      const shared = sharedText(value, payloads, limits);
      const { inputs, ...rest } = validated(whole, value, 'The body');
      const priorities = await prioritiesOf(lists.priorities);
      const submission = { ...toSubmission(rest, priorities, rulesOfWebhooks), ...shared };
      if (lists.inputs !== null) {
        checkPriorities(submission, lists.inputs.length);
        const texts = await inputTexts(lists.inputs, limits);
        return { submission, inputs: { type: 'list', inputs: texts } };
      }
      const { start, count } = (inputs as Exclude<typeof inputs, unknown[]>).range;
      checkPriorities(submission, count);
      return { submission, inputs: { type: 'range', start, count } };
    },
    async readHead(line) {
      const key = known.keyOf(line);
      const earlier = key === undefined ? undefined : known.find(key);
      if (earlier !== undefined) return earlier;
      const reading = await readJson(line, rules);
      if (!reading.ok) {
        const code = reading.isTooLarge ? 'payload_too_large' : 'validation_failed';
        throw new Refusal(code, `Line 1 is ${reading.problem}.`);
      }
      const { value, payloads } = reading;
      const { priorities } = takeLists(value, payloads);
      const shared = sharedText(value, payloads, limits);
      const job = validated(head, value, 'Line 1 (the job without its inputs)');
      const made = toSubmission(job, await prioritiesOf(priorities), rulesOfWebhooks);
      const submission = { ...made, ...shared };
      if (key !== undefined) known.keep(key, submission);
      return submission;
    },
  };
}

interface Lists {
  /** Null when there are none, or a range. */
  readonly inputs: PayloadList | null;
  readonly priorities: PayloadList | null;
}

/** Takes long lists out of a body and puts short ones there, which the schema can check quickly. */
function takeLists(value: unknown, payloads: Payloads): Lists {
  if (typeof value !== 'object' || value === null) return { inputs: null, priorities: null };
  const body = value as Record<string, unknown>;
  const inputs = listAt(body, 'inputs', payloads);
  if (inputs !== null) body['inputs'] = inputs.length === 0 ? [] : [null];
  const priorities = listAt(body, 'task_priorities', payloads);
  if (priorities !== null) body['task_priorities'] = [];
  return { inputs, priorities };
}

/** As it was sent: it is not parsed here. */
function sharedText(
  value: unknown,
  payloads: Payloads,
  { sharedBytes }: Limits,
): Pick<Submission, 'shared'> {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'shared')) return {};
  const place = (value as { readonly shared: number }).shared;
  if (payloads.isTooDeep(place)) {
    const message = `must be nested ${deepestNesting} levels deep at most`;
    const detail = `shared ${message}.`;
    throw new Refusal('validation_failed', detail, [{ path: 'shared', message }]);
  }
  if (payloads.sizeOf(place) > sharedBytes) {
    const detail = `shared is larger than ${sharedBytes} bytes (limit shared_bytes).`;
    throw new Refusal('payload_too_large', detail);
  }
  return { shared: payloads.get(place).text };
}

function listAt(
  body: Readonly<Record<string, unknown>>,
  name: string,
  payloads: Payloads,
): PayloadList | null {
  const placeholder = body[name];
  return Array.isArray(placeholder) ? payloads.list(placeholder[0] as number) : null;
}

function refuseTooMany(inputs: PayloadList | null, limits: Limits): void {
  if (inputs === null || inputs.length <= limits.inputsPerJob) return;
  const message = inputsSentence(limits);
  const detail = `inputs ${message}; an array of ${inputs.length} was given.`;
  throw new Refusal('validation_failed', detail, [{ path: 'inputs', message }]);
}

/** There must be one priority per input. The inputs of a stream are counted only at its end. */
export function checkPriorities(submission: Submission, inputCount: number): void {
  const given = submission.taskPriorities?.length ?? inputCount;
  if (given === inputCount) return;
  const message = `must have one entry for each input; it has ${given} for ${inputCount} inputs`;
  throw new Refusal('validation_failed', `task_priorities ${message}.`, [
    { path: 'task_priorities', message },
  ]);
}

async function inputTexts(inputs: PayloadList, limits: Limits): Promise<string[]> {
  const texts: string[] = [];
  await inputs.each((index) => {
    if (inputs.sizeOf(index) > limits.inputBytes) {
      const what = `inputs[${index}] is larger than ${limits.inputBytes} bytes`;
      const detail = `${what} (limit input_bytes); a larger input is sent as a blob.`;
      throw new Refusal('payload_too_large', detail);
    }
    texts.push(inputs.text(index));
  });
  return texts;
}

async function prioritiesOf(list: PayloadList | null): Promise<Int16Array | null> {
  if (list === null) return null;
  const priorities = new Int16Array(list.length);
  await list.each((index) => {
    // A long text is not a valid priority; it is not parsed, because that may take long.
    const isLong = list.sizeOf(index) > longestPriorityBytes;
    const value: unknown = isLong ? {} : JSON.parse(list.text(index));
    const problem = isPriority(value) ? null : problemOf(priorityField, value, 'it');
    if (problem !== null) {
      const path = `task_priorities[${index}]`;
      const message = problem.slice('it '.length, -1);
      throw new Refusal('validation_failed', `${path} ${message}.`, [{ path, message }]);
    }
    priorities[index] = value as number;
  });
  return priorities;
}

function isPriority(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) <= largestPriority;
}

function toSubmission(
  body: JobHeadSubmission,
  taskPriorities: Int16Array | null,
  rules: AddressRules | null,
): Submission {
  const { notify, checkpoint, speculation } = body;
  const memoryMb = body.memory_mb ?? jobOptions.memory_mb.default;
  return {
    name: body.name ?? null,
    clientId: body.client_id ?? jobOptions.client_id.default,
    priority: body.priority ?? jobOptions.priority.default,
    program: body.program,
    taskPriorities,
    maxAttempts: body.max_attempts ?? jobOptions.max_attempts.default,
    maxLostAttempts: body.max_lost_attempts ?? jobOptions.max_lost_attempts.default,
    retryDelayMs: milliseconds(body.retry_delay_seconds ?? jobOptions.retry_delay_seconds.default),
    attemptTimeoutMs: orNull(
      body.attempt_timeout_seconds,
      jobOptions.attempt_timeout_seconds.default,
    ),
    progressTimeoutMs: orNull(
      body.progress_timeout_seconds,
      jobOptions.progress_timeout_seconds.default,
    ),
    onTaskFailure: body.on_task_failure ?? jobOptions.on_task_failure.default,
    keepOutput: body.keep_output ?? jobOptions.keep_output.default,
    liveOutput: body.live_output ?? jobOptions.live_output.default,
    lateResults: body.late_results ?? jobOptions.late_results.default,
    memoryMb,
    requirements: requirementsOf(body.requirements, memoryMb),
    checkpointIntervalMs:
      checkpoint === undefined ? null : milliseconds(checkpoint.interval_seconds),
    hold: body.hold ?? jobOptions.hold.default,
    retainMs: body.retain_seconds === undefined ? null : milliseconds(body.retain_seconds),
    notify: notify === undefined ? null : notifyTargets(notify, rules),
    speculation:
      speculation?.enabled === true
        ? {
            maxCopies: speculation.max_copies ?? speculationDefaults.max_copies,
            maxShare: speculation.max_share ?? speculationDefaults.max_share,
          }
        : null,
  };
}

/** What every worker gives is not asked for. */
function requirementsOf(given: JobRequirements | undefined, memoryMb: number): Requirements | null {
  const asked = given === undefined ? null : toRequirements(given);
  return memoryMb > defaultTaskMemoryMb ? { ...asked, taskMemoryMb: memoryMb } : asked;
}

export function toRequirements(given: JobRequirements): Requirements {
  const { type, platform, isolation, labels } = given;
  return {
    ...(type === undefined ? {} : { type }),
    ...(platform === undefined ? {} : { platform }),
    ...(given.min_ram_mb === undefined ? {} : { minRamMb: given.min_ram_mb }),
    ...(given.min_battery_percent === undefined
      ? {}
      : { minBatteryPercent: given.min_battery_percent }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(labels === undefined ? {} : { labels }),
  };
}

function orNull(seconds: number | null | undefined, preset: number | null): number | null {
  const chosen = seconds === undefined ? preset : seconds;
  return chosen === null ? null : milliseconds(chosen);
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}
