// What a scenario file may say. The published schema (`docs/reference/scenario.schema.json`) is made from this.
// Durations of tasks are in seconds on a device of speed 1 that does nothing else.

import { z } from 'zod';
import { algorithmIds, criterionIds } from '../../core/snapshot.ts';
import { closed, flag, integer, number, oneOf, text } from '../../protocol/schemas/fields.ts';
import { listOf, meanAndCv, oneOfForms } from './forms.ts';

const large = 1e9;
const positiveWords = `must be a number above 0, at most ${large}`;
const positive = z.number(positiveWords).positive(positiveWords).max(large, positiveWords);
const atLeastZero = number(0, large);
/** In seconds: what comes again and again in less would be all that is played. */
const repeatSeconds = number(0.1, large);
const count = (most: number) => integer(1, most);
const share = number(0, 1);
const percent = number(0, 100);
const name = text(200);

const bounds = { at_least: atLeastZero.optional(), at_most: atLeastZero.optional() };

/** Draws below `at_least` and above `at_most` are drawn anew. */
const drawnForms = [
  closed({
    uniform: z.tuple([atLeastZero, atLeastZero], 'must be two numbers, the lesser first'),
  }),
  closed({ normal: meanAndCv(atLeastZero, 'normal'), ...bounds }),
  closed({ log_normal: meanAndCv(positive, 'log_normal'), ...bounds }),
  closed({ exponential: closed({ mean: positive }) }),
  closed({
    pareto: closed({ least: positive, alpha: number(0.1, 100) }),
    at_most: atLeastZero.optional(),
  }),
  closed({ one_of: listOf(atLeastZero, 1_000_000) }),
  closed({ file: name.describe('Numbers, one a line, beside the scenario.') }),
] as const;

const drawnWords =
  '{"uniform": …}, {"normal": …}, {"log_normal": …}, {"exponential": …}, {"pareto": …}, {"one_of": …} or {"file": …}';

/** A number, or how it is drawn. */
const amount = z
  .union([atLeastZero, ...drawnForms], oneOfForms(`a number, ${drawnWords}`, drawnForms))
  .describe('A number, or how it is drawn.');

const tasks = z.union(
  [count(10_000_000), ...drawnForms],
  oneOfForms(`a whole number, ${drawnWords}`, drawnForms),
);

const loadForms = [
  closed({
    steps: listOf(closed({ at_seconds: atLeastZero, percent }), 100_000),
    repeat_seconds: repeatSeconds.optional(),
  }),
  closed({
    episodes: closed({
      every_seconds: amount.describe('Pause between two episodes.'),
      for_seconds: amount,
      percent: amount,
    }),
    otherwise_percent: percent.default(0),
  }),
] as const;

const load = z
  .union(
    [percent, ...loadForms],
    oneOfForms(
      'a number from 0 to 100, {"steps": [{"at_seconds": …, "percent": …}, …]} or ' +
        '{"episodes": {"every_seconds": …, "for_seconds": …, "percent": …}}',
      loadForms,
    ),
  )
  .describe('How much of the whole processor other programs ask for.');

const battery = closed({
  level_percent: amount.default(100),
  charging: flag().default(false),
  idle_percent_per_hour: atLeastZero.default(1),
  busy_percent_per_hour: atLeastZero.default(12).describe('In addition, for each busy slot.'),
  charge_percent_per_hour: atLeastZero.default(30),
  rests_below_percent: percent.optional().describe('Takes nothing new below it.'),
});

const presence = closed({
  here_seconds: amount.describe('From joining to going.'),
  away_seconds: amount,
  goes: oneOf(['cut', 'leaves'])
    .default('cut')
    .describe('Without a word, or after handing its work back.'),
  first: oneOf(['here', 'away']).default('here'),
});

const deviceClass = closed({
  class: name,
  count: count(100_000),
  type: oneOf(['pc', 'android_node', 'browser']).default('pc'),
  platform: text(50).default('linux'),
  slots: count(1024).default(1),
  cores: count(1024).optional().describe('As many as slots when left out.'),
  speed: amount.default(1),
  ram_mb: amount.default(8192),
  latency_ms: amount.default(1).describe('Round trip.'),
  bandwidth_mbps: amount.optional().describe('Both ways; unlimited when left out.'),
  load: load.default(0),
  battery: battery.optional(),
  idle_watts: atLeastZero.default(0),
  busy_watts: atLeastZero.default(0).describe('In addition, for each busy slot.'),
  start_ms: amount
    .default(0)
    .describe('To begin a task, whatever its work: it is handed to a sandbox, which begins.'),
  fails: share.default(0).describe('Share of attempts that fail here.'),
  joins_after_seconds: amount.default(0),
  presence: presence.optional(),
  labels: z.record(name, name, 'must be an object of texts').default({}),
  does_not_say: z
    .array(
      oneOf(['cpu', 'memory', 'battery', 'bandwidth']),
      'must be a list of what it does not say',
    )
    .default([])
    .describe('Measurements that it does not send.'),
});

const arrivalForms = [
  closed({ at_seconds: listOf(atLeastZero, 100_000) }),
  closed({ every_seconds: positive, count: count(100_000) }),
  closed({ poisson_per_hour: positive, count: count(100_000) }),
  closed({ file: name.describe('Seconds, one a line in ascending order, beside the scenario.') }),
] as const;

const arrivals = z
  .union(
    arrivalForms,
    oneOfForms(
      '{"at_seconds": […]}, {"every_seconds": …, "count": …}, {"poisson_per_hour": …, "count": …} or {"file": …}',
      arrivalForms,
    ),
  )
  .describe('When jobs of this kind come.');

const job = closed({
  job: name,
  arrivals: arrivals.default({ at_seconds: [0] }),
  tasks: tasks.default(1).describe('What is drawn is rounded, and at least 1.'),
  work_seconds: amount.describe('On a device of speed 1 that does nothing else.'),
  input_kb: amount.default(0.1),
  result_kb: amount.default(0.1),
  checkpoint_every_seconds: repeatSeconds.optional().describe('None are taken when left out.'),
  checkpoint_kb: amount.default(1),
  priority: integer(-1000, 1000).default(0),
  task_priorities: amount.optional().describe('Rounded, at most 1000; one for each task.'),
  speculation: flag().default(false),
  max_attempts: count(1000).default(3),
  max_lost_attempts: count(1000).default(20),
  requirements: z
    .strictObject({
      type: listOf(name, 1000).optional(),
      labels: z.record(name, name, 'must be an object of texts').optional(),
      min_ram_mb: atLeastZero.optional(),
      min_battery_percent: percent.optional(),
    })
    .optional(),
});

export const scenarioSchema = closed({
  $schema: z.string('must be a text').optional(),
  scenario: name.describe('Its name.'),
  about: z
    .string('must be a text')
    .max(2000, 'must be a text of at most 2000 characters')
    .default(''),
  devices: listOf(deviceClass, 10_000),
  jobs: listOf(job, 10_000),
  weights: z
    .partialRecord(oneOf(criterionIds), number(0, 1e6), 'must be an object of numbers by criterion')
    .optional(),
  weighting: oneOf(['manual', 'entropy']).default('manual'),
  algorithm: oneOf(algorithmIds).default('fifo').describe('Played when none is asked for.'),
  heartbeat_seconds: number(1, 600).default(5),
  commit_ms: number(0, 1000)
    .default(1)
    .describe('How long the coordinator takes to make a batch durable.'),
  seeds: count(10_000)
    .default(30)
    .describe('How often it is played in a comparison when nothing else is asked for.'),
  settle_seconds: atLeastZero
    .default(10)
    .describe('Devices are there so long before the first job can come.'),
  most_hours: positive.default(24 * 7).describe('Ends a run that does not end.'),
}).meta({ title: 'Scenario of the lab of Muster' });

export type Scenario = z.output<typeof scenarioSchema>;
export type Load = z.output<typeof load>;
export type DeviceClass = z.output<typeof deviceClass>;
export type JobKind = z.output<typeof job>;
