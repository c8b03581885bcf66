// Workers for the operator: list, failures, drain, resume, deregister.

import { z } from 'zod';
import { integer } from '../../protocol/schemas/fields.ts';
import {
  deregistrationSchema,
  workerDetailSchema,
  workerFailureSchema,
  workerSchema,
} from '../../protocol/schemas/resources.ts';
import { answers, workerId } from '../answers.ts';
import type { App } from '../app.ts';
import { accepted, unknownWorker } from '../refusal.ts';
import { arrayTexts, jsonChunks, jsonType } from '../text-stream.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['workers'];
/** Workers that one handle may mean; a person wants one. */
const mostMeant = 100;

const mostFailures = 10_000;

const failuresQuery = z.object({
  limit: z.coerce
    .number()
    .pipe(integer(1, mostFailures))
    .exactOptional()
    .describe(`At most so many; ${mostFailures} without it`),
});

const workersQuery = z.object({
  handle: z
    .string('must be given once')
    .min(1, 'must have a character')
    .exactOptional()
    .describe(
      'Only workers that a person may mean by this text: the one with this id, or else those whose id ' +
        'begins or ends with it (four characters at least) and those with this name. At most 100',
    ),
});

export function addWorkerRoutes(app: App, { coordinator, openAnswers }: RouteContext): void {
  app.get(
    '/api/workers',
    {
      schema: {
        tags,
        summary: 'All workers',
        description: 'All that are registered, those that are offline included.',
        querystring: workersQuery,
        response: answers(z.array(workerSchema), 'validation_failed'),
      },
    },
    async (request, reply) => {
      const { handle } = request.query;
      if (handle !== undefined) {
        const workers = await coordinator.reads.meantWorkers(handle, mostMeant);
        return reply.type(jsonType).send(JSON.stringify(workers));
      }
      const answer = openAnswers.open(request, reply);
      const chunks = answer.paced(coordinator.reads.workerChunks());
      return answer.send(jsonType, arrayTexts(jsonChunks(chunks), answer.encode));
    },
  );

  app.get(
    '/api/workers/:worker_id',
    {
      schema: {
        tags,
        summary: 'One worker with what it does now',
        description: 'Its attempts, and until when it is in quarantine, beside what the list says.',
        params: workerId,
        response: answers(workerDetailSchema, 'unknown_worker'),
      },
    },
    async (request, reply) => {
      const { worker_id: id } = request.params;
      const worker = await coordinator.reads.findWorker(id);
      if (worker === undefined) throw unknownWorker(id);
      return reply.type(jsonType).send(JSON.stringify(worker));
    },
  );

  app.delete(
    '/api/workers/:worker_id',
    {
      schema: {
        tags,
        summary: 'Deregister a worker',
        description: 'Its attempts are requeued at once and it must not come back by itself.',
        params: workerId,
        response: answers(deregistrationSchema, 'unknown_worker'),
      },
    },
    async (request) => {
      const { worker_id } = request.params;
      const { requeuedTasks } = accepted(await coordinator.workers.deregister(worker_id));
      return { worker_id, status: 'deregistered', requeued_tasks: requeuedTasks } as const;
    },
  );

  app.get(
    '/api/workers/:worker_id/failures',
    {
      schema: {
        tags,
        summary: 'Failed and lost attempts of a worker, newest first',
        description: 'Lost and timed-out attempts have the reason as their `error_type`.',
        params: workerId,
        querystring: failuresQuery,
        response: answers(z.array(workerFailureSchema), 'unknown_worker', 'validation_failed'),
      },
    },
    async (request) => {
      const { worker_id: id } = request.params;
      const failures = await coordinator.reads.findFailures(
        id,
        request.query.limit ?? mostFailures,
      );
      if (failures === undefined) throw unknownWorker(id);
      return failures;
    },
  );

  app.post(
    '/api/workers/:worker_id/drain',
    {
      schema: {
        tags,
        summary: 'Let a worker finish what it has and give it nothing new',
        description: 'It stays registered; `resume` gives it work again.',
        params: workerId,
        response: answers(workerSchema, 'unknown_worker'),
      },
    },
    async (request) => accepted(await coordinator.workers.drain(request.params.worker_id)),
  );

  app.post(
    '/api/workers/:worker_id/resume',
    {
      schema: {
        tags,
        summary: 'Give a drained worker work again',
        description: 'Takes back a `drain`.',
        params: workerId,
        response: answers(workerSchema, 'unknown_worker'),
      },
    },
    async (request) => accepted(await coordinator.workers.resume(request.params.worker_id)),
  );
}
