// The scheduler: which algorithms there are, which one decides, with which weights.

import { z } from 'zod';
import type { AlgorithmId, SchedulerConfig } from '../../core/snapshot.ts';
import {
  algorithmNames,
  algorithmSchema,
  type SchedulerChange,
  schedulerChangeSchema,
  schedulerConfigSchema,
} from '../../protocol/schemas/scheduler.ts';
import { answers } from '../answers.ts';
import type { App } from '../app.ts';
import { accepted, Refusal, shown } from '../refusal.ts';
import { readJsonBody } from '../request-body.ts';
import { validated } from '../validation.ts';
import type { Room } from './room.ts';

const tags = ['scheduler'];
type ConfigAnswer = z.infer<typeof schedulerConfigSchema>;

export function addSchedulerRoutes(app: App, { coordinator, limits }: Room): void {
  app.get(
    '/api/scheduler/algorithms',
    {
      schema: {
        tags,
        summary: 'Ids of all scheduling algorithms',
        response: answers(z.array(algorithmSchema)),
      },
    },
    () => [...algorithmNames],
  );

  app.get(
    '/api/scheduler/config',
    {
      schema: {
        tags,
        summary: 'The configuration in force',
        response: answers(schedulerConfigSchema),
      },
    },
    async () => configAnswer(await coordinator.schedulerConfig()),
  );

  app.put(
    '/api/scheduler/config',
    {
      config: { readsBody: true },
      schema: {
        tags,
        summary: 'Change algorithm, weights or weighting',
        description: 'What is left out keeps its value; weights need not sum to 1.',
        body: schedulerChangeSchema,
        response: answers(schedulerConfigSchema, 'validation_failed', 'payload_too_large'),
      },
    },
    async (request) => {
      const body = await readJsonBody(request, limits.bodyBytes);
      const change = validated(schedulerChangeSchema, body, 'The body');
      refuseAllZero(await coordinator.schedulerConfig(), change);
      return configAnswer(accepted(await coordinator.configure(change)));
    },
  );

  app.post(
    '/api/scheduler/activate/:algorithm',
    {
      schema: {
        tags,
        summary: 'Make an algorithm decide from now on',
        params: z.object({ algorithm: z.string().describe(algorithmNames.join(', ')) }),
        response: answers(schedulerConfigSchema, 'unknown_algorithm'),
      },
    },
    async (request) => {
      const algorithm = knownAlgorithm(request.params.algorithm);
      return configAnswer(accepted(await coordinator.configure({ algorithm })));
    },
  );
}

function knownAlgorithm(id: string): AlgorithmId {
  const known = algorithmNames.find((name) => name === id);
  if (known !== undefined) return known;
  const detail = `There is no algorithm ${shown(id)}; there are ${algorithmNames.join(', ')}.`;
  throw new Refusal('unknown_algorithm', detail);
}

/** Weights that are left out keep their value: only all of them together can be seen to be zero. */
function refuseAllZero({ weights }: SchedulerConfig, change: SchedulerChange): void {
  const merged = { ...initialWeights, ...weights, ...change.weights };
  if (change.weights === undefined || Object.values(merged).some((weight) => weight > 0)) return;
  throw new Refusal('validation_failed', 'At least one weight must be larger than 0.');
}

function configAnswer(config: SchedulerConfig): ConfigAnswer {
  return {
    algorithm: config.algorithm,
    weighting: config.weighting,
    weights: { ...initialWeights, ...config.weights },
    effective_weights: config.weighting === 'manual' ? normalised(config) : null,
    updated_at: new Date(config.updatedAt).toISOString(),
  };
}

const initialWeights = { cpu: 0.2, memory: 0.2, throughput: 0.2, failure_rate: 0.2, latency: 0.2 };

function normalised({ weights }: SchedulerConfig): ConfigAnswer['effective_weights'] {
  const all = { ...initialWeights, bandwidth: 0, battery: 0, energy: 0, load: 0, ...weights };
  const sum = Object.values(all).reduce((total, weight) => total + weight, 0);
  const shares = Object.entries(all).map(([name, weight]) => [name, sum > 0 ? weight / sum : 0]);
  return Object.fromEntries(shares) as ConfigAnswer['effective_weights'];
}
