// The records of a trace, a line of JSON each: what a coordinator did, without what tells whose work it was. Times
// are in milliseconds from the beginning of the recording; what was before has negative ones. Jobs, workers and
// the like are numbered from 1 in the order in which they were first heard of. `docs/reference/trace.md` explains
// each record; readers skip records of types that they do not know, and fields too.

import { z } from 'zod';
import { algorithmIds, criterionIds } from '../../core/snapshot.ts';

/** Of the form below. A reader takes its own version and older ones. */
export const traceVersion = 1;

/** Of a submission of Muster: `inputsPerJob`. */
const mostTasks = 10_000_000;
const mostSlots = 1024;
const mostPriority = 1000;
/** Thirty years: what is beyond was written by nobody's clock. */
const farMs = 1e12;
/** More than any of these can be, and few enough that sums stay finite. */
const mostAmount = 1e15;

const moment = () => z.number().min(-farMs).max(farMs);
const number = () => z.int().min(1);
const count = () => z.int().min(0);
const amount = () => z.number().min(0).max(mostAmount);
const priority = () => z.int().min(-mostPriority).max(mostPriority);
const percent = () => z.number().min(0).max(100);
const share = () => z.number().min(0).max(1);
const codes = () => z.record(z.string(), z.string());

export const headSchema = z.object({
  type: z.literal('trace'),
  version: z.int().min(1),
  muster: z.string(),
  began_at: z.iso.datetime(),
  heartbeat_seconds: z.number().min(0.1).max(1e6),
  lease_seconds: z.number().positive().max(1e7),
});

const schedulerSchema = z.object({
  type: z.literal('scheduler'),
  at_ms: moment(),
  algorithm: z.enum(algorithmIds),
  weighting: z.enum(['manual', 'entropy']),
  weights: z.partialRecord(z.enum(criterionIds), amount()),
});

const requirementsSchema = z.object({
  type: z.array(z.string()).optional(),
  platform: z.array(z.string()).optional(),
  isolation: z.string().optional(),
  labels: codes().optional(),
  min_ram_mb: amount().optional(),
  min_battery_percent: percent().optional(),
  task_memory_mb: amount().optional(),
});

const jobSchema = z.object({
  type: z.literal('job'),
  at_ms: moment(),
  job: number(),
  /** Of a job from before the recording: those that had not ended when it began. */
  tasks: count().max(mostTasks),
  is_from_before: z.boolean(),
  is_held: z.boolean(),
  priority: priority(),
  /** Runs of [how many, which priority] in the order of the indices; null: all have that of the job. */
  task_priorities: z.array(z.tuple([count().max(mostTasks), priority()])).nullable(),
  requirements: requirementsSchema.nullable(),
  speculation: z.object({ max_copies: count(), max_share: share() }).nullable(),
  max_attempts: number(),
  max_lost_attempts: count(),
  checkpoint_interval_ms: amount().nullable(),
  /** Mean of a task; null: not known. */
  input_bytes: amount().nullable(),
});

const jobReleasedSchema = z.object({
  type: z.literal('job_released'),
  at_ms: moment(),
  job: number(),
});

const jobEndedSchema = z.object({
  type: z.literal('job_ended'),
  at_ms: moment(),
  job: number(),
  status: z.enum(['completed', 'failed', 'cancelled']),
});

export const attemptOutcomes = [
  'completed',
  'failed',
  'lost',
  'timed_out',
  'revoked',
  'refused',
  'released',
  'superseded',
] as const;

const attemptSchema = z.object({
  type: z.literal('attempt'),
  job: number(),
  index: count(),
  attempt: number(),
  worker: number(),
  /** Null: the result came late, and nobody knows any more. */
  assigned_ms: moment().nullable(),
  /** Null: it never began. */
  started_ms: moment().nullable(),
  ended_ms: moment(),
  outcome: z.enum(attemptOutcomes),
  /** As its worker says, else from its start to its end. */
  run_ms: amount(),
  /** Null: its worker did not say. */
  cpu_seconds: amount().nullable(),
  checkpoints: count(),
  /** Mean size as stored; null when it has saved none. */
  checkpoint_bytes: amount().nullable(),
  /** Of the checkpoint that it went on from; null: from the start. */
  resumed_from: share().nullable(),
  /** Run time behind that checkpoint. */
  run_before_ms: amount(),
  result_bytes: amount().nullable(),
});

const joinedSchema = z.object({
  type: z.literal('worker_joined'),
  at_ms: moment(),
  worker: number(),
  device: z.string(),
  platform: z.string(),
  isolation: z.string(),
  slots: number().max(mostSlots),
  /** Null: it does not say. */
  cores: z.number().positive().max(mostAmount).nullable(),
  labels: codes(),
});

const goneSchema = z.object({
  type: z.literal('worker_gone'),
  at_ms: moment(),
  worker: number(),
  why: z.enum(['disconnected', 'lost', 'left', 'removed']),
});

const pauseReasons = z.enum(['draining', 'leaving', 'resting', 'quarantined']);

const pausedSchema = z.object({
  type: z.literal('worker_paused'),
  at_ms: moment(),
  worker: number(),
  why: pauseReasons,
});

const resumedSchema = z.object({
  type: z.literal('worker_resumed'),
  at_ms: moment(),
  worker: number(),
  why: pauseReasons,
});

/** What a worker has measured; null: it does not say. */
const telemetrySchema = z.object({
  type: z.literal('telemetry'),
  at_ms: moment(),
  worker: number(),
  /** Mean since the sample before. */
  cpu_load_percent: percent().nullable(),
  ram_available_mb: amount().nullable(),
  battery_level_percent: percent().nullable(),
  battery_charging: z.boolean().nullable(),
  network_latency_ms: amount().nullable(),
  network_bandwidth_mbps: amount().nullable(),
});

/** The database was cleared: all jobs and workers are gone. */
const clearedSchema = z.object({ type: z.literal('cleared'), at_ms: moment() });

/** What could not be written in time. */
const leftOutSchema = z.object({
  type: z.literal('left_out'),
  at_ms: moment(),
  telemetry: count(),
  others: count(),
});

const endSchema = z.object({
  type: z.literal('end'),
  at_ms: moment(),
  /** `full`: it was as large as it may be, and the coordinator went on. */
  why: z.enum(['stopped', 'full']),
});

/** Every record but the head, which is the first line. */
export const recordSchema = z.discriminatedUnion('type', [
  schedulerSchema,
  jobSchema,
  jobReleasedSchema,
  jobEndedSchema,
  attemptSchema,
  joinedSchema,
  goneSchema,
  pausedSchema,
  resumedSchema,
  telemetrySchema,
  clearedSchema,
  leftOutSchema,
  endSchema,
]);

export const recordTypes: ReadonlySet<string> = new Set(
  recordSchema.options.map(({ shape }) => shape.type.value),
);

export type TraceHead = z.infer<typeof headSchema>;
export type TraceRecord = z.infer<typeof recordSchema>;
export type RecordOf<T extends TraceRecord['type']> = Extract<TraceRecord, { type: T }>;
export type PauseReason = z.infer<typeof pauseReasons>;
