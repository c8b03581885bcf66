// The scheduler: its algorithms and criteria, the configuration in force, and previews of another one.

import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Coordinator } from '../../coordinator/port/coordinator.ts';
import type { ConfigChange, SchedulerPort } from '../../coordinator/port/scheduler.ts';
import type { AlgorithmId } from '../../core/snapshot.ts';
import {
  criterionDescriptionSchema,
  schedulerPreviewSchema,
} from '../../protocol/schemas/explanations.ts';
import {
  algorithmNames,
  algorithmSchema,
  mostHistoryEntries,
  previewSchema,
  schedulerChangeSchema,
  schedulerConfigSchema,
  schedulerHistoryEntrySchema,
} from '../../protocol/schemas/scheduler.ts';
import { queryInteger } from '../../protocol/schemas/fields.ts';
import { schedulingInfoSchema } from '../../protocol/schemas/scheduling-info.ts';
import { answers, bodyRefusals } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { accepted, Refusal, shown } from '../refusal.ts';
import { bodyRules } from '../reading-rules.ts';
import { readJsonBody } from '../request-body.ts';
import type { MakePieces } from '../shared-answers.ts';
import { toRequirements } from '../submission.ts';
import { jsonType } from '../text-stream.ts';
import { validated } from '../validation.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['scheduler'];
const algorithmParams = z.object({
  // Read as text: another is not found (404), rather than wrong.
  algorithm: z.string().meta({ enum: [...algorithmNames], description: 'Id of the algorithm' }),
});

const historyQuery = z.object({
  limit: queryInteger(1, mostHistoryEntries)
    .exactOptional()
    .describe('At most so many; 100 without it'),
});
const usualEntries = 100;

type ConfigAnswer = z.infer<typeof schedulerConfigSchema>;
type InForce = Awaited<ReturnType<SchedulerPort['config']>>;

export function addSchedulerRoutes(
  app: App,
  { coordinator, limits, inFlight, sharedAnswers }: RouteContext,
): void {
  const bodies = { limitBytes: limits.bodyBytes, rules: bodyRules(limits), inFlight };
  app.get(
    '/api/scheduler/algorithms',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'listAlgorithms',
        summary: 'Ids of all scheduling algorithms',
        description: 'Each can be activated at run time.',
        response: answers(z.array(algorithmSchema)),
      },
    },
    () => [...algorithmNames],
  );

  app.get(
    '/api/scheduler/criteria',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'listCriteria',
        summary: 'The nine criteria',
        description: 'What each measures, in which unit, whether more is better, and its source.',
        response: answers(z.array(criterionDescriptionSchema)),
      },
    },
    (request) => [...portsOf(coordinator, request).scheduler.criteria],
  );

  app.get(
    '/api/scheduling-info',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getSchedulingInfo',
        summary: 'The state of the scheduler, and why it decided as it last did',
        description:
          'Active algorithm, what waits, and the criteria and scores of every worker in the last ' +
          'decision.',
        response: answers(schedulingInfoSchema),
      },
    },
    async (request, reply) => {
      const { scheduler } = portsOf(coordinator, request);
      const make: MakePieces = (pieceBytes) => scheduler.infoPieces(pieceBytes);
      return sharedAnswers.send(request, reply, jsonType, { of: scheduler, make });
    },
  );

  app.get(
    '/api/scheduler/config',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getSchedulerConfig',
        summary: 'The configuration in force',
        description:
          'Algorithm, weights as configured, and the weights that decisions are made with.',
        response: answers(schedulerConfigSchema),
      },
    },
    async (request) => configAnswer(await portsOf(coordinator, request).scheduler.config()),
  );

  app.put(
    '/api/scheduler/config',
    {
      config: { access: 'admin', readsBody: true, audit: 'scheduler.configure' },
      schema: {
        tags,
        operationId: 'changeSchedulerConfig',
        summary: 'Change algorithm, weights or weighting',
        description: 'What is left out keeps its value; weights need not sum to 1.',
        body: schedulerChangeSchema,
        response: answers(schedulerConfigSchema, ...bodyRefusals),
      },
    },
    async (request) => {
      const body = await readJsonBody(request, bodies);
      const change = validated(schedulerChangeSchema, body, 'The body');
      return configure(coordinator, request, change);
    },
  );

  app.get(
    '/api/scheduler/history',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'listSchedulerHistory',
        summary: 'The configurations that were in force, newest first',
        description:
          'From that of the first start on. The newest thousand are kept, over restarts and when the database is cleared.',
        querystring: historyQuery,
        response: answers(z.array(schedulerHistoryEntrySchema), 'validation_failed'),
      },
    },
    async (request) => {
      const { limit = usualEntries } = request.query;
      const changes = await portsOf(coordinator, request).scheduler.history(limit);
      return changes.map(({ algorithm, weighting, weights, updatedAt, by = null }) => ({
        at: new Date(updatedAt).toISOString(),
        algorithm,
        weighting,
        weights,
        by,
      }));
    },
  );

  const previewed = previewSchema(limits);
  app.post(
    '/api/scheduler/preview',
    {
      config: { access: 'viewer', readsBody: true, bringsWork: true, audit: 'scheduler.preview' },
      schema: {
        tags,
        operationId: 'previewScheduler',
        summary: 'How the present cluster would rank, changing nothing',
        description:
          'What is left out is as in force. With `tasks`, so many tasks are placed on a copy of ' +
          'the cluster, as far as there are free slots; with `assume`, on one where all of them are free.',
        body: previewed,
        response: answers(schedulerPreviewSchema, ...bodyRefusals),
      },
    },
    async (request, reply) => {
      const body = await readJsonBody(request, bodies);
      const { requirements, ...rest } = validated(previewed, body, 'The body');
      const asked = requirements === undefined ? null : toRequirements(requirements);
      const preview = accepted(
        await portsOf(coordinator, request).scheduler.preview({ ...rest, requirements: asked }),
      );
      return reply.type(jsonType).send(JSON.stringify(preview));
    },
  );

  app.post(
    '/api/scheduler/activate/:algorithm',
    {
      config: { access: 'admin', audit: 'scheduler.activate' },
      schema: {
        tags,
        operationId: 'activateAlgorithm',
        summary: 'Make an algorithm decide from now on',
        description: 'Holds for the very next decision; no restart, nothing is lost.',
        params: algorithmParams,
        response: answers(schedulerConfigSchema, 'unknown_algorithm'),
      },
    },
    async (request) => {
      const algorithm = knownAlgorithm(request.params.algorithm);
      return configure(coordinator, request, { algorithm });
    },
  );
}

async function configure(
  coordinator: Coordinator,
  request: FastifyRequest,
  change: ConfigChange,
): Promise<ConfigAnswer> {
  const { scheduler } = portsOf(coordinator, request);
  const by = await nameOf(coordinator, request);
  const config = accepted(await scheduler.configure(change, by));
  // Only `config()` has the effective weights; changed fields come from the change itself.
  return configAnswer({ ...(await scheduler.config()), ...config });
}

/** Who asks, as people call the token. */
async function nameOf({ tokens }: Coordinator, { bearer }: FastifyRequest): Promise<string | null> {
  if (bearer === null) return null;
  const { tokenId, owner } = bearer.principal;
  return (await tokens.find(tokenId))?.label ?? owner;
}

function knownAlgorithm(id: string): AlgorithmId {
  const known = algorithmNames.find((name) => name === id);
  if (known !== undefined) return known;
  const detail = `There is no algorithm ${shown(id)}; there are ${algorithmNames.join(', ')}.`;
  throw new Refusal('unknown_algorithm', detail);
}

function configAnswer(config: InForce): ConfigAnswer {
  const { algorithm, weighting, weights, effectiveWeights, by = null } = config;
  return {
    algorithm,
    weighting,
    weights,
    effective_weights: effectiveWeights,
    updated_at: new Date(config.updatedAt).toISOString(),
    by,
  };
}
