// Workers for the operator: list, failures, let in or not, name, drain, resume, deregister.

import { z } from 'zod';
import { longestDrainSeconds } from '../../protocol/leaving.ts';
import { integer, queryInteger } from '../../protocol/schemas/fields.ts';
import {
  deregistrationSchema,
  drainingWorkerExample,
  refusalSchema,
  workerDetailSchema,
  workerFailureSchema,
  workerNameSchema,
  workerSchema,
} from '../../protocol/schemas/resources.ts';
import { seriesNamesOf, seriesNamesSchema } from '../../protocol/schemas/worker-series.ts';
import { mostSeriesPoints } from '../../protocol/worker-series.ts';
import { answers, bodyRefusals, json, workerId } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { bodyRules } from '../reading-rules.ts';
import { accepted, unknownWorker } from '../refusal.ts';
import { readJsonBody } from '../request-body.ts';
import type { MakePieces } from '../shared-answers.ts';
import { encodedTexts, jsonType, pieceChars } from '../text-stream.ts';
import { validated } from '../validation.ts';
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
  series: seriesNamesSchema
    .exactOptional()
    .describe(
      'Each worker has `series`, with what it has measured in the last minutes: these of `cpu`, `ram` and ' +
        '`battery`, divided by commas',
    ),
  points: queryInteger(1, mostSeriesPoints)
    .exactOptional()
    .describe(`How many points each series has; ${mostSeriesPoints} without it`),
});

const listQuery = workersQuery.refine(
  ({ series, points }) => points === undefined || series !== undefined,
  { path: ['points'], message: 'goes with `series` only' },
);

const deadlineRule = `must be whole seconds from 1 to ${longestDrainSeconds}, or none`;
const isDrainTime = (text: string) =>
  /^[1-9]\d{0,6}$/.test(text) && Number(text) <= longestDrainSeconds;

const deadlineOf = (text: string) => (text === 'none' ? null : Number(text) * 1000);

const drainQuery = z.object({
  deadline_seconds: z
    .string('must be given once')
    .refine((text) => text === 'none' || isDrainTime(text), deadlineRule)
    .meta({ pattern: '^(none|[1-9][0-9]{0,6})$' })
    .exactOptional()
    .describe(
      'From now on. What the worker still has then is given to others, from its last checkpoint; `none`: ' +
        'never. Left out: as it is, and at first never',
    ),
});

export function addWorkerRoutes(app: App, context: RouteContext): void {
  const { coordinator, openAnswers, sharedAnswers, limits, inFlight } = context;
  const nameSchema = workerNameSchema(limits);
  const reading = {
    limitBytes: limits.helloBytes,
    limitName: 'hello_bytes',
    rules: bodyRules(limits),
    inFlight,
  };

  app.get(
    '/api/workers',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'listWorkers',
        summary: 'All workers',
        description: 'All that are registered, those that are offline included.',
        querystring: listQuery,
        response: answers(z.array(workerSchema), 'validation_failed'),
      },
    },
    async (request, reply) => {
      const { handle, series: names, points = mostSeriesPoints } = request.query;
      const series = names === undefined ? undefined : { names: seriesNamesOf(names), points };
      const { reads } = portsOf(coordinator, request);
      if (handle !== undefined) {
        const workers = await reads.meantWorkers(handle, mostMeant, series);
        return reply.type(jsonType).send(JSON.stringify(workers));
      }
      if (series === undefined) {
        const make: MakePieces = (chars) => reads.workerTexts({ pieceChars: chars });
        return sharedAnswers.send(request, reply, jsonType, { of: reads, make });
      }
      const answer = openAnswers.open(request, reply);
      const texts = answer.paced(reads.workerTexts({ pieceChars, series }));
      return answer.send(jsonType, encodedTexts(texts, answer.encode));
    },
  );

  app.get(
    '/api/workers/:worker_id',
    {
      config: { access: 'watcher' },
      schema: {
        tags,
        operationId: 'getWorker',
        summary: 'One worker with what it does now',
        description: 'Its attempts, and until when it is in quarantine, beside what the list says.',
        params: workerId,
        response: answers(workerDetailSchema, 'unknown_worker'),
      },
    },
    async (request, reply) => {
      const { worker_id: id } = request.params;
      const worker = await portsOf(coordinator, request).reads.findWorker(id);
      if (worker === undefined) throw unknownWorker(id);
      return reply.type(jsonType).send(JSON.stringify(worker));
    },
  );

  app.delete(
    '/api/workers/:worker_id',
    {
      config: { access: 'admin', audit: 'worker.deregister' },
      schema: {
        tags,
        operationId: 'deregisterWorker',
        summary: 'Deregister a worker',
        description:
          'Its attempts are requeued at once and it must not come back by itself. Where tokens are needed, one that ' +
          'was cleared away and could come back is kept away too.',
        params: workerId,
        response: answers(deregistrationSchema, 'unknown_worker'),
      },
    },
    async (request) => {
      const { worker_id } = request.params;
      const { requeuedTasks } = accepted(
        await portsOf(coordinator, request).workers.deregister(worker_id),
      );
      return { worker_id, status: 'deregistered', requeued_tasks: requeuedTasks } as const;
    },
  );

  app.get(
    '/api/workers/:worker_id/failures',
    {
      config: { access: 'watcher', fromStore: true },
      schema: {
        tags,
        operationId: 'listWorkerFailures',
        summary: 'Failed and lost attempts of a worker, newest first',
        description:
          'Lost and timed-out attempts have the reason as their `error_type`. What was taken back from the ' +
          'worker is not among them, as when a job is cancelled.',
        params: workerId,
        querystring: failuresQuery,
        response: answers(z.array(workerFailureSchema), 'unknown_worker', 'validation_failed'),
      },
    },
    async (request) => {
      const { worker_id: id } = request.params;
      const failures = await portsOf(coordinator, request).reads.findFailures(
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
      config: { access: 'admin', audit: 'worker.drain' },
      schema: {
        tags,
        operationId: 'drainWorker',
        summary: 'Free a worker of its tasks and give it nothing new',
        description:
          'What has not begun is given back at once. A task that saves its state is handed over right ' +
          'after its next checkpoint, and goes on from there on another worker; what never saves runs to ' +
          'its end, or until the deadline. The worker stays registered; `resume` gives it work again.',
        params: workerId,
        querystring: drainQuery,
        response: {
          ...answers(workerSchema, 'unknown_worker', 'validation_failed'),
          200: json(workerSchema, 'The worker as it is now', drainingWorkerExample),
        },
      },
    },
    async (request) => {
      const { deadline_seconds: given } = request.query;
      const deadlineMs = given === undefined ? undefined : deadlineOf(given);
      return accepted(
        await portsOf(coordinator, request).workers.drain(request.params.worker_id, deadlineMs),
      );
    },
  );

  app.post(
    '/api/workers/:worker_id/approve',
    {
      config: { access: 'admin', audit: 'worker.approve' },
      schema: {
        tags,
        operationId: 'approveWorker',
        summary: 'Let in a worker that waits for it',
        description:
          'It joined by a link that asks for a person (`needs_approval`), and is given work from now on. ' +
          'Nothing changes when it is in.',
        params: workerId,
        response: answers(workerSchema, 'unknown_worker'),
      },
    },
    async (request) =>
      accepted(await portsOf(coordinator, request).workers.approve(request.params.worker_id)),
  );

  app.post(
    '/api/workers/:worker_id/refuse',
    {
      config: { access: 'admin', audit: 'worker.refuse' },
      schema: {
        tags,
        operationId: 'refuseWorker',
        summary: 'Do not let in a worker that waits for it',
        description: 'It is removed, and must not come back by itself.',
        params: workerId,
        response: answers(refusalSchema, 'unknown_worker', 'not_waiting'),
      },
    },
    async (request) => {
      const { worker_id } = request.params;
      accepted(await portsOf(coordinator, request).workers.refuse(worker_id));
      return { worker_id, status: 'refused' } as const;
    },
  );

  app.put(
    '/api/workers/:worker_id/name',
    {
      config: { access: 'admin', readsBody: true, audit: 'worker.rename' },
      schema: {
        tags,
        operationId: 'renameWorker',
        summary: 'Name a worker',
        description:
          'The name wins over what the worker says of itself, for good: also when it registers anew with ' +
          'its token.',
        params: workerId,
        body: nameSchema,
        response: answers(workerSchema, 'unknown_worker', ...bodyRefusals),
      },
    },
    async (request) => {
      const asked = validated(nameSchema, await readJsonBody(request, reading), 'The body');
      const { worker_id } = request.params;
      return accepted(await portsOf(coordinator, request).workers.rename(worker_id, asked.name));
    },
  );

  app.post(
    '/api/workers/:worker_id/resume',
    {
      config: { access: 'admin', audit: 'worker.resume' },
      schema: {
        tags,
        operationId: 'resumeWorker',
        summary: 'Give a drained worker work again',
        description: 'Takes back a `drain`.',
        params: workerId,
        response: answers(workerSchema, 'unknown_worker'),
      },
    },
    async (request) =>
      accepted(await portsOf(coordinator, request).workers.resume(request.params.worker_id)),
  );
}
