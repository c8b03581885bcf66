// Schema of the scheduler's state: what waits, what was decided last, and why.

import { z } from 'zod';
import { hindranceCodes } from '../hindrances.ts';
import { amount, count, exampleIds, exampleTime, timestamp } from './fields.ts';

export const allWeights = z
  .record(z.string(), z.number())
  .describe('All nine criteria, of the sum 1');

const criterionSchema = z.object({
  value: z.number().nullable().describe('Null when no worker reports it'),
  weight: z.number(),
  contribution: z.number().describe('What it added to the score'),
  kind: z.enum(['benefit', 'cost']),
  imputed: z.boolean().describe('The worker did not report it: the mean over the matrix was used'),
  projected: z.boolean().describe('Raised for what was assigned since the last heartbeat'),
});

export const hindranceSchema = z.object({
  code: z.enum(hindranceCodes),
  text: z.string().describe('In words'),
});

export const rankedWorkerSchema = z.object({
  worker_id: z.string(),
  rank: count('From 1'),
  score: z.number().nullable(),
  eligible: z.boolean().describe('Could have been chosen'),
  reasons: z.array(hindranceSchema).describe('Why it could not be chosen; empty when it could'),
  selected: z.boolean(),
  criteria: z
    .record(z.string(), criterionSchema)
    .describe('All nine; empty for the algorithms that compare one thing, which is the score then'),
  details: z
    .record(z.string(), z.union([z.number(), z.string()]))
    .describe('Terms of the algorithm: EDAS `sp, sn, nsp, nsn`, ARAS `s, k`, …'),
});

const lastDecisionSchema = z.object({
  at: timestamp(),
  algorithm: z.string(),
  effective_weights: allWeights,
  task_id: z.string(),
  job_id: z.string(),
  worker_id: z.string(),
  reason: z.string().describe('One sentence for people'),
  duration_microseconds: amount(),
});

export const exampleWeights = {
  cpu: 0.2,
  memory: 0.2,
  throughput: 0.2,
  failure_rate: 0.2,
  latency: 0.2,
  bandwidth: 0,
  battery: 0,
  energy: 0,
  load: 0,
};

export const exampleRankedWorker: z.infer<typeof rankedWorkerSchema> = {
  worker_id: exampleIds.worker,
  rank: 1,
  score: 0.81,
  eligible: true,
  reasons: [],
  selected: true,
  criteria: {
    cpu: {
      value: 88,
      weight: 0.2,
      contribution: 0.31,
      kind: 'benefit',
      imputed: false,
      projected: false,
    },
  },
  details: { sp: 0.4, sn: 0 },
};

export const schedulingInfoSchema = z
  .object({
    algorithm: z.string(),
    weighting: z.enum(['manual', 'entropy']),
    effective_weights: allWeights,
    pending_tasks: count('All that wait, those delayed before a retry included'),
    active_tasks: count('Assigned and running'),
    decisions_total: count(),
    decisions_by_algorithm: z
      .record(z.string(), count())
      .describe('Those of each algorithm that has made any'),
    last_decision: lastDecisionSchema.nullable().describe('Null before the first decision'),
    workers: z.array(rankedWorkerSchema).describe('The ranking behind the last decision'),
  })
  .meta({
    examples: [
      {
        algorithm: 'edas',
        weighting: 'manual',
        effective_weights: exampleWeights,
        pending_tasks: 120,
        active_tasks: 8,
        decisions_total: 991,
        decisions_by_algorithm: { edas: 991 },
        last_decision: {
          at: exampleTime,
          algorithm: 'edas',
          effective_weights: exampleWeights,
          task_id: exampleIds.task,
          job_id: exampleIds.job,
          worker_id: exampleIds.worker,
          reason: 'highest appraisal score 0.81',
          duration_microseconds: 14,
        },
        workers: [exampleRankedWorker],
      },
    ],
  });
