// Schemas of the scheduler's reasons: the table of criteria, why a task waits or where it went, and
// how the workers would rank.

import { z } from 'zod';
import { amount, count, exampleIds, exampleTime, timestamp } from './fields.ts';
import { taskStatusSchema } from './resources.ts';
import {
  algorithmSchema,
  configuredWeightsSchema,
  effectiveWeightsSchema,
  weightingSchema,
} from './scheduler.ts';
import {
  allWeights,
  exampleRankedWorker,
  hindranceSchema,
  exampleWeights,
  rankedWorkerSchema,
} from './scheduling-info.ts';

export const criterionDescriptionSchema = z
  .object({
    id: z.string(),
    config_key: z.string().describe('Its name in `weights`'),
    name: z.string(),
    meaning: z.string(),
    unit: z.string(),
    kind: z.enum(['benefit', 'cost']).describe('`benefit`: more is better'),
    source: z.string().describe('Where the value comes from'),
    rule: z.string().describe('How the value in the decision matrix is made of it'),
  })
  .meta({
    examples: [
      {
        id: 'latency',
        config_key: 'latency',
        name: 'network latency',
        meaning: 'network latency between worker and coordinator',
        unit: 'ms',
        kind: 'cost',
        source: 'heartbeat, network_latency_ms, or measured by the coordinator',
        rule: 'at least 1 ms',
      },
    ],
  });

const waitingSchema = z.object({
  code: z
    .enum([
      'held',
      'retry_delay',
      'no_worker',
      'no_eligible_worker',
      'queued_behind',
      'workers_busy',
      'refused',
      'next',
    ])
    .describe(
      '`held`: its job is; `retry_delay`: its pause after a failure; `no_worker`: none is registered; ' +
        '`no_eligible_worker`: none of them could take it, free or not; `queued_behind`: others come ' +
        'first; `workers_busy`: it is first, and all that may run it have no free slot; `refused`: ' +
        'all that may run it did not take tasks of its job, and pause; `next`: it is about to be ' +
        'assigned',
    ),
  reason: z.string().describe('The same as a sentence'),
  not_before: timestamp('End of the pause after a failure, if there is one').nullable(),
  tasks_ahead: count(
    'Tasks that come before it in the queue, at the one of its workers where fewest do; null while it is not in it',
  ).nullable(),
  worker_count: count('All registered workers'),
  reasons: z
    .array(z.object({ ...hindranceSchema.shape, workers: count('For so many workers it holds') }))
    .describe('What keeps the workers from taking it, most frequent first'),
  workers: z
    .array(
      z.object({
        worker_id: z.string(),
        name: z.string().nullable(),
        eligible: z.boolean().describe('It may take the task now'),
        reasons: z.array(hindranceSchema).describe('Why not; or what to know of it'),
      }),
    )
    .describe('Those that are nearest to taking it, at most 200'),
});

const shownWorkers = z
  .array(rankedWorkerSchema)
  .describe('Best first, at most 200; the selected one is always among them');

const criteriaOfWorkers = (meaning: string) =>
  z.array(z.object({ worker_id: z.string(), criterion: z.string() })).describe(meaning);

const decisionSchema = z.object({
  at: timestamp(),
  attempt: count(),
  algorithm: algorithmSchema,
  weighting: weightingSchema,
  effective_weights: allWeights,
  worker_id: z.string(),
  reason: z.string().describe('One sentence for people'),
  score: z.number().nullable(),
  runner_up: z
    .object({
      worker_id: z.string(),
      score: z.number().nullable(),
      difference: z.number().nullable().describe('Score of the selected worker minus this one'),
    })
    .nullable()
    .describe('Who would have got the task without the selected one; null when nobody was left'),
  ties: z.array(z.string()).describe('Other eligible workers of the same score'),
  imputed: criteriaOfWorkers('Values that were not reported: the mean of the others stood in'),
  projected: criteriaOfWorkers('Values raised for what was assigned since the last heartbeat'),
  duration_microseconds: amount('Mean over the scheduling pass'),
  worker_count: count('Workers in the decision matrix'),
  lacking: z
    .array(z.object({ worker_id: z.string(), text: z.string() }))
    .describe('What those that were not eligible lack for the job, as they are now'),
  workers: shownWorkers,
});

export const taskExplanationSchema = z
  .object({
    job_id: z.string(),
    job_name: z.string().nullable(),
    task_id: z.string(),
    index: count(),
    status: taskStatusSchema,
    attempt: count('Number of the newest attempt; 0 before the first'),
    summary: z.string().describe('One or two sentences for people'),
    waiting: waitingSchema.nullable().describe('Null unless the task is pending'),
    decision: decisionSchema.nullable().describe('The decision that placed the attempt'),
    decision_note: z
      .string()
      .nullable()
      .describe('Why there is no decision to show; null when there is one'),
    story: z
      .array(z.object({ at: timestamp().nullable(), text: z.string() }))
      .describe('What happened to the task, oldest first'),
  })
  .meta({
    examples: [
      {
        job_id: exampleIds.job,
        job_name: 'squares',
        task_id: exampleIds.task,
        index: 7,
        status: 'running',
        attempt: 1,
        summary: 'Attempt 1 runs on desk-1: highest appraisal score 0.81.',
        waiting: null,
        decision: {
          at: exampleTime,
          attempt: 1,
          algorithm: 'edas',
          weighting: 'manual',
          effective_weights: exampleWeights,
          worker_id: exampleIds.worker,
          reason: 'highest appraisal score 0.81',
          score: 0.81,
          runner_up: { worker_id: exampleIds.otherWorker, score: 0.62, difference: 0.19 },
          ties: [],
          imputed: [{ worker_id: exampleIds.otherWorker, criterion: 'latency' }],
          projected: [],
          lacking: [],
          duration_microseconds: 14,
          worker_count: 2,
          workers: [exampleRankedWorker],
        },
        decision_note: null,
        story: [
          { at: exampleTime, text: 'submitted' },
          { at: exampleTime, text: `attempt 1 given to desk-1 (${exampleIds.worker})` },
        ],
      },
    ],
  });

export const schedulerPreviewSchema = z
  .object({
    algorithm: algorithmSchema,
    weighting: weightingSchema,
    weights: configuredWeightsSchema,
    effective_weights: effectiveWeightsSchema,
    selected: z
      .string()
      .nullable()
      .describe('Who would get the next task; null when nobody is free'),
    reason: z.string().describe('One sentence for people'),
    worker_count: count('Workers in the decision matrix'),
    workers: shownWorkers,
    order: z
      .array(z.string())
      .exactOptional()
      .describe('Only with `tasks`: who would get the first of them, the second, and so on'),
    placements: z
      .array(z.object({ worker_id: z.string(), tasks: count() }))
      .exactOptional()
      .describe('Only with `tasks`: how many of them each worker would get, most first'),
    unplaced: count('Only with `tasks`: how many would find no free slot').exactOptional(),
  })
  .meta({
    examples: [
      {
        algorithm: 'edas',
        weighting: 'manual',
        weights: { cpu: 0.2, memory: 0.2, throughput: 0.2, failure_rate: 0.2, latency: 0.2 },
        effective_weights: exampleWeights,
        selected: exampleIds.worker,
        reason: 'highest appraisal score 0.81',
        worker_count: 1,
        workers: [exampleRankedWorker],
        order: Array.from({ length: 4 }, () => exampleIds.worker),
        placements: [{ worker_id: exampleIds.worker, tasks: 4 }],
        unplaced: 6,
      },
    ],
  });
