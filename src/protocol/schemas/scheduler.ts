// The scheduler's configuration: the request (`PUT /api/scheduler/config`) and the answers.

import { z } from 'zod';
import { type CriterionId, criterionIds } from '../criteria.ts';
import type { Limits } from '../limits.ts';
import { amount, closed, exampleTime, integer, number, oneOf, timestamp } from './fields.ts';
import { requirementsField } from './submission.ts';

/** The algorithms in the order in which they are listed everywhere. */
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

export const weightingSchema = oneOf(['manual', 'entropy']);

export const largestWeight = 1_000_000;
const weight = () => number(0, largestWeight).exactOptional();

/** A field for each criterion. */
function ofEach<Field>(field: () => Field): Readonly<Record<CriterionId, Field>> {
  return Object.fromEntries(criterionIds.map((id) => [id, field()])) as Record<CriterionId, Field>;
}

export const weightsSchema = closed(ofEach(weight));

const changeFields = {
  algorithm: algorithmSchema.exactOptional(),
  weights: weightsSchema.exactOptional().describe('One that is left out keeps its value'),
  weighting: weightingSchema
    .exactOptional()
    .describe('`entropy`: criteria that vary more across the cluster weigh more'),
};

export const schedulerChangeSchema = closed(changeFields)
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

/** The request for a preview: a proposed configuration, and tasks to place. */
export function previewSchema(limits: Limits) {
  return closed({
    ...changeFields,
    requirements: requirementsField(limits)
      .exactOptional()
      .describe('Of the tasks that are to be placed; default none'),
    tasks: integer(1, mostPreviewedTasks)
      .exactOptional()
      .describe('How many tasks to place on a copy of the cluster'),
    assume: oneOf(['now', 'idle'])
      .exactOptional()
      .describe(
        '`idle`: as if nothing had been assigned, so that every slot of a connected worker is free; what ' +
          'workers measured stays. Without it `now`: as things are',
      ),
  }).meta({
    title: 'PreviewRequest',
    examples: [{ algorithm: 'edas', weights: { cpu: 0.5 }, tasks: 10 }],
  });
}

const mostPreviewedTasks = 1000;

const told = amount();

export const effectiveWeightsSchema = z
  .object(ofEach(() => told))
  .describe('As in force: all nine, normalised to the sum 1');

export const configuredWeightsSchema = z
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
  .describe('As configured; the last four only once they have been set');

function by() {
  return z
    .string()
    .nullable()
    .describe(
      'Who has set it: the label of the token, or its owner; null when nobody was asked for a token, and ' +
        'for who sees only what is its own',
    );
}

export const schedulerConfigSchema = z
  .object({
    algorithm: algorithmSchema,
    weighting: weightingSchema,
    weights: configuredWeightsSchema,
    effective_weights: effectiveWeightsSchema,
    updated_at: timestamp(),
    by: by(),
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
        by: 'laptop of Ann',
      },
    ],
  });

/** Entries that one answer may have. */
export const mostHistoryEntries = 1000;

export const schedulerHistoryEntrySchema = z
  .object({
    at: timestamp('In force from then on'),
    algorithm: algorithmSchema,
    weighting: weightingSchema,
    weights: configuredWeightsSchema,
    by: by(),
  })
  .meta({
    examples: [
      {
        at: exampleTime,
        algorithm: 'edas',
        weighting: 'manual',
        weights: { cpu: 0.3, memory: 0.2, throughput: 0.2, failure_rate: 0.2, latency: 0.1 },
        by: 'laptop of Ann',
      },
    ],
  });
