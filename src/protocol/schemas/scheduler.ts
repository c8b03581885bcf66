// The scheduler's configuration: what may be asked (`PUT /api/scheduler/config`) and what is told.

import { z } from 'zod';
import { amount, closed, exampleTime, number, oneOf, timestamp } from './fields.ts';

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
  weights: weightsSchema.exactOptional().describe('One that is left out keeps its value'),
  weighting: oneOf(['manual', 'entropy'])
    .exactOptional()
    .describe('`entropy`: criteria that vary more across the cluster weigh more'),
})
  .refine(
    ({ algorithm, weights, weighting }) =>
      algorithm !== undefined || weighting !== undefined || Object.keys(weights ?? {}).length > 0,
    'must change something: give algorithm, weighting, or at least one weight',
  )
  .meta({
    examples: [
      {
        algorithm: 'edas',
        weights: { cpu: 0.3, memory: 0.2, throughput: 0.2, failure_rate: 0.2, latency: 0.1 },
      },
      { weighting: 'entropy' },
    ],
  });

const told = amount();

const effectiveWeightsSchema = z
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
  .describe('As in force: all nine, normalised to the sum 1');

export const schedulerConfigSchema = z
  .object({
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
    effective_weights: effectiveWeightsSchema,
    updated_at: timestamp(),
  })
  .meta({
    examples: [
      {
        algorithm: 'edas',
        weighting: 'manual',
        weights: { cpu: 0.3, memory: 0.2, throughput: 0.2, failure_rate: 0.2, latency: 0.1 },
        effective_weights: {
          cpu: 0.3,
          memory: 0.2,
          throughput: 0.2,
          failure_rate: 0.2,
          latency: 0.1,
          bandwidth: 0,
          battery: 0,
          energy: 0,
          load: 0,
        },
        updated_at: exampleTime,
      },
    ],
  });
