// What a scenario file may say. The published schema (`docs/reference/scenario.schema.json`) is made from this.
// Durations of tasks are in seconds on a device of speed 1 that does nothing else.

import { z } from 'zod';
import { algorithmIds, criterionIds } from '../../core/snapshot.ts';

const positive = z.number().positive().max(1e9);
const atLeastZero = z.number().min(0).max(1e9);
const count = (most: number) => z.number().int().min(1).max(most);
const share = z.number().min(0).max(1);
const percent = z.number().min(0).max(100);
const name = z.string().min(1).max(200);

/** A number, or how it is drawn. Draws below `at_least` and above `at_most` are set to them. */
const amount = z
  .union([
    z.number().min(0).max(1e9),
    z.strictObject({ uniform: z.tuple([atLeastZero, atLeastZero]) }),
    z.strictObject({
      normal: z.strictObject({ mean: atLeastZero, cv: atLeastZero }),
      at_least: atLeastZero.optional(),
      at_most: atLeastZero.optional(),
    }),
    z.strictObject({
      log_normal: z.strictObject({ mean: positive, cv: atLeastZero }),
      at_least: atLeastZero.optional(),
      at_most: atLeastZero.optional(),
    }),
    z.strictObject({ exponential: z.strictObject({ mean: positive }) }),
    z.strictObject({
      pareto: z.strictObject({ least: positive, alpha: z.number().min(0.1).max(100) }),
      at_most: atLeastZero.optional(),
    }),
    z.strictObject({ one_of: z.array(atLeastZero).min(1).max(1_000_000) }),
    z.strictObject({ file: name.describe('Numbers, one a line, beside the scenario.') }),
  ])
  .describe('A number, or how it is drawn.');

const load = z
  .union([
    percent,
    z.strictObject({
      steps: z
        .array(z.strictObject({ at_seconds: atLeastZero, percent }))
        .min(1)
        .max(100_000),
      repeat_seconds: positive.optional(),
    }),
    z.strictObject({
      episodes: z.strictObject({
        every_seconds: amount.describe('Pause between two episodes.'),
        for_seconds: amount,
        percent: amount,
      }),
      otherwise_percent: percent.default(0),
    }),
  ])
  .describe('How much of the whole processor other programs ask for.');

const battery = z.strictObject({
  level_percent: amount.default(100),
  charging: z.boolean().default(false),
  idle_percent_per_hour: atLeastZero.default(1),
  busy_percent_per_hour: atLeastZero.default(12).describe('In addition, for each busy slot.'),
  charge_percent_per_hour: atLeastZero.default(30),
  rests_below_percent: percent.optional().describe('Takes nothing new below it.'),
});

const presence = z.strictObject({
  here_seconds: amount.describe('From joining to going.'),
  away_seconds: amount,
  goes: z
    .enum(['cut', 'leaves'])
    .default('cut')
    .describe('Without a word, or after handing its work back.'),
  first: z.enum(['here', 'away']).default('here'),
});

const deviceClass = z.strictObject({
  class: name,
  count: count(100_000),
  type: z.enum(['pc', 'android_node', 'browser']).default('pc'),
  platform: z.string().min(1).max(50).default('linux'),
  slots: count(1024).default(1),
  cores: count(1024).optional().describe('As many as slots when left out.'),
  speed: amount.default(1),
  ram_mb: amount.default(8192),
  latency_ms: amount.default(1).describe('Round trip.'),
  bandwidth_mbps: amount.optional().describe('Both ways; unlimited when left out.'),
  load: load.default(0),
  battery: battery.optional(),
  idle_watts: atLeastZero.default(0),
  busy_watts: atLeastZero.default(5).describe('In addition, for each busy slot.'),
  start_ms: amount
    .default(0)
    .describe('To begin a task, whatever its work: it is handed to a sandbox, which begins.'),
  fails: share.default(0).describe('Share of attempts that fail here.'),
  joins_after_seconds: amount.default(0),
  presence: presence.optional(),
  labels: z.record(name, name).default({}),
  does_not_say: z
    .array(z.enum(['cpu', 'memory', 'battery', 'bandwidth']))
    .default([])
    .describe('Measurements that it does not send.'),
});

const arrivals = z
  .union([
    z.strictObject({ at_seconds: z.array(atLeastZero).min(1).max(100_000) }),
    z.strictObject({ every_seconds: positive, count: count(100_000) }),
    z.strictObject({ poisson_per_hour: positive, count: count(100_000) }),
  ])
  .describe('When jobs of this kind come.');

const job = z.strictObject({
  job: name,
  arrivals: arrivals.default({ at_seconds: [0] }),
  tasks: z.union([count(10_000_000), amount]).default(1),
  work_seconds: amount.describe('On a device of speed 1 that does nothing else.'),
  input_kb: amount.default(0.1),
  result_kb: amount.default(0.1),
  checkpoint_every_seconds: positive.optional().describe('None are taken when left out.'),
  checkpoint_kb: amount.default(1),
  priority: z.number().int().min(-1000).max(1000).default(0),
  task_priorities: amount.optional().describe('Rounded; one for each task.'),
  speculation: z.boolean().default(false),
  max_attempts: count(1000).default(3),
  max_lost_attempts: count(1000).default(20),
  requirements: z
    .strictObject({
      type: z.array(name).min(1).optional(),
      labels: z.record(name, name).optional(),
      min_ram_mb: atLeastZero.optional(),
      min_battery_percent: percent.optional(),
    })
    .optional(),
});

export const scenarioSchema = z
  .strictObject({
    $schema: z.string().optional(),
    scenario: name.describe('Its name.'),
    about: z.string().max(2000).default(''),
    devices: z.array(deviceClass).min(1).max(10_000),
    jobs: z.array(job).min(1).max(10_000),
    weights: z.partialRecord(z.enum(criterionIds), z.number().min(0).max(1e6)).optional(),
    weighting: z.enum(['manual', 'entropy']).default('manual'),
    algorithm: z.enum(algorithmIds).default('fifo').describe('Played when none is asked for.'),
    heartbeat_seconds: z.number().min(1).max(600).default(5),
    commit_ms: z
      .number()
      .min(0)
      .max(1000)
      .default(1)
      .describe('How long the coordinator takes to make a batch durable.'),
    seeds: count(10_000)
      .default(30)
      .describe('How often it is played in a comparison when nothing else is asked for.'),
    settle_seconds: atLeastZero
      .default(10)
      .describe('Devices are there so long before the first job can come.'),
    most_hours: positive.default(24 * 7).describe('Ends a run that does not end.'),
  })
  .meta({ title: 'Scenario of the lab of Muster' });

export type Scenario = z.output<typeof scenarioSchema>;
export type Load = z.output<typeof load>;
export type DeviceClass = z.output<typeof deviceClass>;
export type JobKind = z.output<typeof job>;
