// The scheduler's configuration: what may be asked (`PUT /api/scheduler/config`) and what is told.

import { z } from 'zod';
import { closed, number, oneOf, timestamp } from './fields.ts';

/** In the order in which they are listed everywhere. */
export const algorithmNames = [
  'fifo',
  'round_robin',
  'least_loaded',
  'performance',
  'priority',
  'wrr',
  'edas',
  'aras',
  'mabac',
] as const;

export const algorithmSchema = oneOf(algorithmNames);

export const largestWeight = 1_000_000;
const weight = () => number(0, largestWeight).exactOptional();

export const weightsSchema = closed({
  cpu: weight(),
  memory: weight(),
  throughput: weight(),
  failure_rate: weight(),
  latency: weight(),
  bandwidth: weight(),
  battery: weight(),
  energy: weight(),
  load: weight(),
});

export const schedulerChangeSchema = closed({
  algorithm: algorithmSchema.exactOptional(),
  weights: weightsSchema.exactOptional(),
  weighting: oneOf(['manual', 'entropy']).exactOptional(),
}).refine(
  ({ algorithm, weights, weighting }) =>
    algorithm !== undefined || weighting !== undefined || Object.keys(weights ?? {}).length > 0,
  'must change something: give algorithm, weighting, or at least one weight',
);

export type SchedulerChange = z.infer<typeof schedulerChangeSchema>;

const told = z.number().min(0);

export const schedulerConfigSchema = z.object({
  algorithm: algorithmSchema,
  weighting: z.enum(['manual', 'entropy']),
  weights: z
    .object({
      cpu: told,
      memory: told,
      throughput: told,
      failure_rate: told,
      latency: told,
      bandwidth: told.exactOptional(),
      battery: told.exactOptional(),
      energy: told.exactOptional(),
      load: told.exactOptional(),
    })
    .describe('As configured; the last four only once they have been set'),
  effective_weights: z
    .object({
      cpu: told,
      memory: told,
      throughput: told,
      failure_rate: told,
      latency: told,
      bandwidth: told,
      battery: told,
      energy: told,
      load: told,
    })
    .nullable()
    .describe('As in force: all nine, normalised to the sum 1'),
  updated_at: timestamp(),
});
