// Workers for the operator: list, failures, drain, resume, deregister.

import { z } from 'zod';
import { longestDrainSeconds } from '../../protocol/leaving.ts';
import { integer } from '../../protocol/schemas/fields.ts';
import {
  deregistrationSchema,
  workerFailureSchema,
  workerSchema,
} from '../../protocol/schemas/resources.ts';
import { answers, workerId } from '../answers.ts';
import type { App } from '../app.ts';
import { accepted, unknownWorker } from '../refusal.ts';
import { arrayTexts, jsonChunks, jsonType } from '../text-stream.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['workers'];

const drainQuery = z.object({
  deadline_seconds: z
    .union([z.literal('none'), z.coerce.number().pipe(integer(1, longestDrainSeconds))])
    .exactOptional()
    .describe(
      'From now on. What the worker still has then is given to others, from its last checkpoint; `none`: ' +
        'never. Left out: as it is, and at first never',
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
        response: answers(z.array(workerSchema)),
      },
    },
    (request, reply) => {
      const answer = openAnswers.open(request, reply);
      const chunks = answer.paced(coordinator.reads.workerChunks());
      return answer.send(jsonType, arrayTexts(jsonChunks(chunks), answer.encode));
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
        response: answers(z.array(workerFailureSchema), 'unknown_worker'),
      },
    },
    async (request) => {
      const { worker_id: id } = request.params;
      const failures = await coordinator.reads.findFailures(id);
      if (failures === undefined) throw unknownWorker(id);
      return failures;
    },
  );

  app.post(
    '/api/workers/:worker_id/drain',
    {
      schema: {
        tags,
        summary: 'Free a worker of its tasks and give it nothing new',
        description:
          'What has not begun is given back at once. A task that saves its state is handed over right ' +
          'after its next checkpoint, and goes on from there on another worker; what never saves runs to ' +
          'its end, or until the deadline. The worker stays registered; `resume` gives it work again.',
        params: workerId,
        querystring: drainQuery,
        response: answers(workerSchema, 'unknown_worker', 'validation_failed'),
      },
    },
    async ({ params, query }) => {
      const { deadline_seconds: given } = query;
      const deadlineMs = typeof given === 'number' ? given * 1000 : given && null;
      return accepted(await coordinator.workers.drain(params.worker_id, deadlineMs));
    },
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
