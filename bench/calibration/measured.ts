// What was measured on the real cluster, as it is kept in a file. What is played follows from it alone.

import { z } from 'zod';
import { devices } from './devices.ts';

const positive = z.number().positive();
const perDevice = <T extends z.ZodType>(value: T) => z.array(value).length(devices.length);

/** What the device was like while the job ran. */
const during = z.strictObject({
  /** Work seconds a second. */
  speed: positive,
  /** From the end of a task to the beginning of the next, on average; null for one that had a single task. */
  betweenMs: z.number().nullable(),
});

const run = z.strictObject({
  mix: z.string(),
  contender: z.string(),
  /** Number of the repetition, from 1; the seed in the lab. */
  seed: z.number().int().min(1),
  /** As the evaluation says: from the submission to the end of the job. */
  makespanSeconds: positive,
  /** Completed, by place of the device. */
  tasks: perDevice(z.number().int().min(0)),
  /** By place of the device; null for one that had no task. */
  during: perDevice(during.nullable()),
});

export const measuredSchema = z.strictObject({
  /** Version of this form. */
  calibration: z.literal(1),
  machine: z.string(),
  /** Turns of the program in a second of work: on one core that nothing slows down. */
  turnsPerSecond: positive,
  /** Round trip between workers and coordinator. */
  latencyMs: positive,
  /** How long the coordinator takes to make a batch durable. */
  commitMs: positive,
  runs: z.array(run).min(1),
});

export type DeviceDuring = z.output<typeof during>;
export type MeasuredRun = z.output<typeof run>;
export type Measured = z.output<typeof measuredSchema>;
