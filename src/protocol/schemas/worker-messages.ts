// Schemas of the messages that a worker sends. A reader ignores keys that it does not know, so that
// a newer worker can talk to an older coordinator. Telemetry is only checked to be an object here,
// see `telemetry.ts`.

import { z } from 'zod';
import { defaultTaskMemoryMb, largestTaskMemoryMb } from '../task-memory.ts';
import type { Limits } from '../limits.ts';
import { defaultProgramKind, kindForm } from '../program.ts';
import { namedProgramsMax } from '../program-shelf.ts';
import { restWord } from '../resting.ts';
import { flag, integer, isWithinBytes, labels, number, oneOf, text } from './fields.ts';

const longestId = 200;
const longestReason = 1000;
/** A PC may offer many commands. */
const mostKinds = 64;
/** The longest lease that may be asked for; a shorter one may be granted. */
const longestLeaseSeconds = 86_400;
const largest = Number.MAX_SAFE_INTEGER;
const share = () => number(0, 1);
const measured = () => number(0, 1e12).exactOptional();
const printed = () =>
  z
    .string('must be a text')
    .exactOptional()
    .describe('What the attempt printed; too much is cut, and it is kept if the job wants it');
const anything = () => z.unknown();

export const attemptRef = {
  task_id: text(longestId),
  attempt: integer(1, largest),
  token: text(longestId),
};

/** Of one result. */
export const mostReportedBlobs = 1000;
const reportedBlobs = `must be an array of at most ${mostReportedBlobs} hashes`;

/** The form of `sha256` and of the names of blobs. */
export const sha256Hex = /^[0-9a-f]{64}$/;
/** Checks the characters only; the reader finds out whether it can be decoded. */
export const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
const base64Sentence = 'must be base64';

/** Entries in the arrays of the reports, by kind. */
export const reportSchemas = {
  started: z.object(attemptRef),
  progress: z.object({
    ...attemptRef,
    progress: share(),
    message: z.string().nullable().exactOptional(),
  }),
  output: z.object({
    ...attemptRef,
    text: z.string('must be a text').describe('Printed since the last one'),
    left_out: integer(0, largest)
      .exactOptional()
      .describe('Characters before it that are not told, because it was too much'),
  }),
  checkpoint: checkpointSchema(),
  result: z.object({
    ...attemptRef,
    value: anything(),
    blobs: z
      .array(sha256(), reportedBlobs)
      .max(mostReportedBlobs, reportedBlobs)
      .exactOptional()
      .describe('Hashes of blobs, uploaded before, that the value names inside of it'),
    run_ms: measured(),
    cpu_seconds: measured(),
    energy_joules: measured(),
    output: printed(),
  }),
  failure: z.object({
    ...attemptRef,
    error_type: z.string('must be a text'),
    error_message: z.string('must be a text'),
    error_stack: z
      .string('must be a text')
      .exactOptional()
      .describe('Frames of the program, innermost first, a line for each'),
    retryable: flag().exactOptional(),
    run_ms: measured(),
    cpu_seconds: measured(),
    output: printed(),
  }),
  refusal: z.object({ ...attemptRef, reason: z.string('must be a text').max(longestReason) }),
  release: z.object({
    ...attemptRef,
    lacks: sha256().exactOptional().describe('The program that is not kept here after all'),
  }),
} as const;

export const heartbeatAttemptSchema = z.object({
  ...attemptRef,
  progress: share().exactOptional(),
  checkpoint_sequence: integer(0, largest).exactOptional(),
});

export const heldAttemptSchema = z.object({
  ...attemptRef,
  state: oneOf(['queued', 'running', 'finished']),
  run_ms: measured().describe(
    'How long it has run, for `running`: its time limit goes on, and does not begin again',
  ),
});

const restSentence = 'must be an object with because, 1 to 32 small letters and underscores';

/** What a worker says of itself with every heartbeat, over either transport. */
export const presenceFields = {
  rest: z
    .object({ because: z.string(restSentence).regex(restWord, restSentence) }, restSentence)
    .exactOptional()
    .describe('Present exactly while it rests: it is given nothing, and pays nothing for it'),
  lease_seconds: number(1, longestLeaseSeconds)
    .exactOptional()
    .describe(
      'The lease for now, for a device that may fall asleep: it holds for silence and for a closed ' +
        'connection; absent: as when it came',
    ),
};

export const heartbeatSchema = z.object({
  type: z.literal('heartbeat'),
  heartbeat_id: number(0, largest),
  telemetry: anyObject(),
  assign_sequence: integer(0, largest),
  running: z.array(heartbeatAttemptSchema, 'must be an array of attempts'),
  draining: flag().exactOptional(),
  ...presenceFields,
});

export const byeSchema = z.object({
  type: z.literal('bye'),
  reason: z.string('must be a text').max(longestReason),
});

export function helloSchema(limits: Limits) {
  return z
    .object({
      type: z.literal('hello'),
      protocol: integer(1, largest),
      worker_id: text(longestId).exactOptional(),
      worker_token: text(longestId).exactOptional(),
      device: deviceSchema(limits),
      telemetry: anyObject().exactOptional(),
      attempts: z.array(heldAttemptSchema, 'must be an array of attempts'),
      programs: keptProgramsSchema().exactOptional(),
      draining: flag().exactOptional(),
      rest: presenceFields.rest,
      instance: text(longestId)
        .exactOptional()
        .describe('Which start of the worker this is: random, new with every start'),
      connection: integer(1, largest)
        .exactOptional()
        .describe('Counts every `hello` of this instance, from 1: the highest is the newest'),
      greeting: integer(0, largest)
        .exactOptional()
        .describe('The number of the `greet` that this answers; absent in the first on a socket'),
    })
    .refine(
      (hello) => (hello.worker_id === undefined) === (hello.worker_token === undefined),
      'must hold both worker_id and worker_token, or neither',
    )
    .refine(
      (hello) => (hello.instance === undefined) === (hello.connection === undefined),
      'must hold both instance and connection, or neither',
    );
}

function keptProgramsSchema() {
  const sentence = `must be an array of at most ${namedProgramsMax} programs`;
  return z
    .object({
      most: integer(1, largest).describe('Programs that it keeps'),
      most_characters: integer(1, largest).describe('And characters of all sources together'),
      kept: z
        .array(z.object({ sha256: sha256(), characters: integer(0, largest) }), sentence)
        .max(namedProgramsMax, sentence)
        .describe('The longest unused first; the oldest may be left out'),
    })
    .describe('Programs that the worker keeps. Absent: every frame brings the sources');
}

export function deviceSchema(limits: Limits) {
  return z
    .object(deviceFields(limits), 'must be an object with type and platform')
    .refine(...isSmall(limits));
}

/** A rule for schemas with the fields of a device: the part that is kept must be small. */
export function isSmall({ workerBytes }: Limits): [(device: object) => boolean, string] {
  const sentence =
    `must take at most ${workerBytes} bytes, its name, kinds and labels in all ` +
    '(limit worker_bytes)';
  const kept = (device: object) => JSON.stringify({ ...device, telemetry: undefined });
  return [(device) => isWithinBytes(kept(device), workerBytes), sentence];
}

export function deviceFields(limits: Limits) {
  const name = () => text(limits.nameCharacters);
  const kinds = `must be an array of 1 to ${mostKinds} texts like python or command:blender`;
  const hands = 'must be an array of at most 16 texts like bytes or shared';
  const runtimes = `must be an object of at most ${mostKinds} texts, by the kinds of programs`;
  return {
    name: name().nullable().exactOptional().describe('For people'),
    type: name().describe('`pc`, `android_node`, `browser`, …'),
    platform: name().describe('`linux`, `darwin`, `win32`, `android`, …'),
    slots: integer(1, limits.slotsPerWorker)
      .exactOptional()
      .describe('Attempts that it runs at the same time; default 1'),
    kinds: z
      .array(z.string(kinds).regex(kindForm, kinds), kinds)
      .min(1, kinds)
      .max(mostKinds, kinds)
      .exactOptional()
      .describe(`Kinds of programs that it can run; default \`["${defaultProgramKind}"]\``),
    runtimes: z
      .record(z.string().regex(kindForm, runtimes), name(), runtimes)
      .refine((given) => Object.keys(given).length <= mostKinds, runtimes)
      .exactOptional()
      .describe(
        'For people: the versions of what runs them, by kind, as in `{"python": "3.14.2"}`',
      ),
    hands: z
      .array(name(), hands)
      .max(16, hands)
      .exactOptional()
      .describe(
        'What it hands to tasks beside inputs in JSON: `bytes`, `shared`; jobs that have such are given to no other',
      ),
    labels: labels(limits.nameCharacters, limits.labelsPerWorker)
      .exactOptional()
      .describe('What jobs may ask for'),
    isolation: name()
      .exactOptional()
      .describe('How task code is kept from the rest of the device; default `none`'),
    version: name()
      .exactOptional()
      .describe('Of the program of the worker, for those who look after it'),
    task_memory_mb: integer(1, largestTaskMemoryMb)
      .exactOptional()
      .describe(
        `The most memory that it gives one task; absent: only jobs with \`memory_mb\` of at most ${defaultTaskMemoryMb}`,
      ),
    lease_seconds: number(1, longestLeaseSeconds)
      .exactOptional()
      .describe(
        'How long it asks to be silent without being taken for lost, for one that cannot speak as ' +
          'often as others; the answer tells what it gets, at least the lease of everybody',
      ),
  };
}

const stateFields = ['state', 'state_gzip', 'state_blob'] as const;

function checkpointSchema() {
  return z
    .object({
      ...attemptRef,
      sequence: integer(0, largest).describe('Counts within the attempt, from 1; only rises'),
      progress: share(),
      state: anything().exactOptional().describe('The state itself, any JSON'),
      state_gzip: z
        .string(base64Sentence)
        .regex(base64, base64Sentence)
        .exactOptional()
        .describe('Base64 of the gzipped JSON text of the state'),
      state_blob: sha256()
        .exactOptional()
        .describe('Hash of a blob, uploaded before, that holds the gzipped JSON text of the state'),
      sha256: sha256().exactOptional().describe('Of the JSON text'),
      size_bytes: integer(0, largest).exactOptional().describe('Of the JSON text'),
      run_ms: measured().describe('How long the attempt had run'),
    })
    .refine(
      (entry) => stateFields.filter((name) => entry[name] !== undefined).length === 1,
      'must have exactly one of state, state_gzip and state_blob',
    )
    .refine(
      (entry) => entry.state !== undefined || isDescribed(entry),
      'must have sha256 and size_bytes beside state_gzip or state_blob',
    );
}

function isDescribed(entry: { readonly sha256?: unknown; readonly size_bytes?: unknown }): boolean {
  return entry.sha256 !== undefined && entry.size_bytes !== undefined;
}

function sha256() {
  const sentence = 'must be 64 hexadecimal digits in lower case';
  return z.string(sentence).regex(sha256Hex, sentence);
}

function anyObject() {
  return z.record(z.string(), z.unknown(), 'must be an object');
}

/** Every message of a worker by its type, for the published description. */
export function workerMessageSchemas(limits: Limits) {
  const report = <T extends string>(type: T, name: string, entry: z.ZodType, meaning: string) =>
    z.object({ type: z.literal(type), [name]: z.array(entry) }).describe(meaning);
  return {
    hello: helloSchema(limits).describe(
      'Who the device is and which attempts it still holds: what is not listed is not held',
    ),
    heartbeat: heartbeatSchema.describe('How the device is, and which attempts it holds'),
    started: report('started', 'started', reportSchemas.started, 'Attempts that run now'),
    progress: report('progress', 'progress', reportSchemas.progress, 'How far attempts are'),
    output: report(
      'output',
      'outputs',
      reportSchemas.output,
      'What attempts print, of jobs with `live_output`; nothing is decided by it',
    ),
    checkpoint: report(
      'checkpoint',
      'checkpoints',
      reportSchemas.checkpoint,
      'States from which the next attempt can go on',
    ),
    result: report('result', 'results', reportSchemas.result, 'Kept by the worker until its `ack`'),
    failure: report(
      'failure',
      'failures',
      reportSchemas.failure,
      'Attempts that ended in an error',
    ),
    refusal: report(
      'refusal',
      'refusals',
      reportSchemas.refusal,
      "Not to be run here, by the owner's rules: costs no budget",
    ),
    release: report(
      'release',
      'releases',
      reportSchemas.release,
      'Answer to `recall`, or the program is not here: not begun, and never will be',
    ),
    bye: byeSchema.describe('The worker leaves for now; what it still held is given back'),
  } as const;
}
