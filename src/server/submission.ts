// From the body of `POST /api/jobs` to what the coordinator takes: validated, every default filled
// in, units in milliseconds, inputs as JSON texts.

import type { Requirements } from '../core/records.ts';
import type { Submission, SubmissionInputs } from '../coordinator/port.ts';
import type { Limits } from '../protocol/limits.ts';
import type { JobRequirements } from '../protocol/resources.ts';
import {
  jobHeadSubmissionSchema,
  type JobHeadSubmission,
  submissionSchema,
} from '../protocol/schemas/submission.ts';
import { Refusal, shown } from './refusal.ts';
import { validated } from './validation.ts';

const reservedKinds: ReadonlySet<unknown> = new Set(['wasm', 'command', 'python']);

export interface SubmissionReader {
  /** A whole JSON body. */
  read(body: unknown): { readonly submission: Submission; readonly inputs: SubmissionInputs };
  /** The first line of an NDJSON upload. */
  readHead(line: unknown): Submission;
}

export function createSubmissionReader(limits: Limits): SubmissionReader {
  const whole = submissionSchema(limits);
  const head = jobHeadSubmissionSchema(limits);
  return {
    read(body) {
      refuseReserved(body);
      const { inputs, ...rest } = validated(whole, body, 'The body');
      const submission = toSubmission(rest);
      if (Array.isArray(inputs)) {
        checkPriorities(submission, inputs.length);
        return { submission, inputs: { type: 'list', inputs: inputTexts(inputs, limits) } };
      }
      const { start, count } = inputs.range;
      checkPriorities(submission, count);
      return { submission, inputs: { type: 'range', start, count } };
    },
    readHead(line) {
      refuseReserved(line);
      return toSubmission(validated(head, line, 'Line 1 (the job without its inputs)'));
    },
  };
}

/** One priority per input; where inputs come as a stream this is known at its end. */
export function checkPriorities(submission: Submission, inputCount: number): void {
  const given = submission.taskPriorities?.length ?? inputCount;
  if (given === inputCount) return;
  const message = `must have one entry for each input; it has ${given} for ${inputCount} inputs`;
  throw new Refusal('validation_failed', `task_priorities ${message}.`, [
    { path: 'task_priorities', message },
  ]);
}

function inputTexts(inputs: readonly unknown[], limits: Limits): string[] {
  return inputs.map((input, index) => {
    const text = JSON.stringify(input);
    if (text.length * 3 > limits.inputBytes && Buffer.byteLength(text) > limits.inputBytes) {
      const detail = `inputs[${index}] is larger than ${limits.inputBytes} bytes (limit input_bytes).`;
      throw new Refusal('payload_too_large', detail);
    }
    return text;
  });
}

function refuseReserved(body: unknown): void {
  const { program } = (body ?? {}) as Record<string, Record<string, unknown> | null>;
  if (reservedKinds.has(program?.['kind'])) {
    const detail = `program.kind ${shown(program?.['kind'])} is not supported yet; use "javascript".`;
    throw new Refusal('not_supported_yet', detail);
  }
}

function toSubmission(body: JobHeadSubmission): Submission {
  const { checkpoint, requirements, speculation } = body;
  return {
    name: body.name ?? null,
    clientId: body.client_id ?? 'anonymous',
    priority: body.priority ?? 0,
    program: body.program,
    taskPriorities: body.task_priorities ? Int16Array.from(body.task_priorities) : null,
    maxAttempts: body.max_attempts ?? 3,
    maxLostAttempts: body.max_lost_attempts ?? 5,
    retryDelayMs: milliseconds(body.retry_delay_seconds ?? 1),
    attemptTimeoutMs: orNull(body.attempt_timeout_seconds, 3600),
    progressTimeoutMs: orNull(body.progress_timeout_seconds, null),
    onTaskFailure: body.on_task_failure ?? 'continue',
    lateResults: body.late_results ?? 'accept',
    requirements: requirements === undefined ? null : toRequirements(requirements),
    checkpointIntervalMs:
      checkpoint === undefined ? null : milliseconds(checkpoint.interval_seconds),
    speculation:
      speculation?.enabled === true
        ? { maxCopies: speculation.max_copies ?? 1, maxShare: speculation.max_share ?? 0.1 }
        : null,
  };
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
