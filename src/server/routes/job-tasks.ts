// The tasks of a job, page by page, and what went wrong in it.

import { z } from 'zod';
import { integer, queryFlag, queryInteger } from '../../protocol/schemas/fields.ts';
import {
  jobErrorsSchema,
  taskListingSchema,
  taskMapSchema,
} from '../../protocol/schemas/job-tasks.ts';
import { taskStatusSchema } from '../../protocol/schemas/resources.ts';
import { answers, jobId } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { refusedField, unknownJob } from '../refusal.ts';
import { jsonType } from '../text-stream.ts';
import type { RouteContext } from './route-context.ts';
import { taskText } from './tasks.ts';

const tags = ['jobs'];
const longestPage = 1_000;
const defaultPage = 100;
const mostKinds = 100;
const defaultKinds = 20;
/** No job has an index beyond. */
const mostIndex = 2 ** 24 - 1;

const tasksQuery = z.object({
  status: taskStatusSchema.exactOptional().describe('Only tasks with this status'),
  after: z.coerce
    .number()
    .pipe(integer(0, mostIndex))
    .exactOptional()
    .describe('Index of the last task of the page before'),
  limit: z.coerce
    .number()
    .pipe(integer(1, longestPage))
    .exactOptional()
    .describe(`Length of a page, ${defaultPage} by default`),
  inputs: queryFlag()
    .exactOptional()
    .describe('With the input of each; the page ends early where the inputs get large'),
});

const errorsQuery = z.object({
  limit: z.coerce
    .number()
    .pipe(integer(1, mostKinds))
    .exactOptional()
    .describe(`Kinds that are listed, ${defaultKinds} by default`),
});

const mostCells = 4_000;
const defaultCells = 2_500;

const mapQuery = z.object({
  from: queryInteger(0, mostIndex)
    .exactOptional()
    .describe('Index of the first task, 0 by default'),
  to: queryInteger(0, mostIndex + 1)
    .exactOptional()
    .describe('Index behind the last task; by default, and at most, how many the job has'),
  cells: queryInteger(1, mostCells)
    .exactOptional()
    .describe(`How many cells at most, ${defaultCells} by default`),
});

export function addJobTaskRoutes(app: App, { coordinator }: RouteContext): void {
  app.get(
    '/api/jobs/:job_id/tasks',
    {
      config: { access: 'viewer', fromStore: true },
      schema: {
        tags,
        operationId: 'listTasks',
        summary: 'The tasks of a job, page by page',
        description:
          'In index order, all or those of one status. A `Link` header with `rel="next"` leads to the ' +
          'next page.',
        params: jobId,
        querystring: tasksQuery,
        response: answers(z.array(taskListingSchema), 'unknown_job', 'validation_failed'),
      },
    },
    async (request, reply) => {
      const { job_id: id } = request.params;
      const { status, after, limit, inputs } = request.query;
      const page = await portsOf(coordinator, request).reads.findTasks(id, {
        status: status ?? null,
        after: after ?? -1,
        limit: limit ?? defaultPage,
        inputs: inputs === 'true',
      });
      if (page === undefined) throw unknownJob(id);
      if (page.after !== null) {
        const next = new URLSearchParams(request.query as Record<string, string>);
        next.set('after', String(page.after));
        const path = `/api/jobs/${encodeURIComponent(id)}/tasks`;
        reply.header('link', `<${path}?${next}>; rel="next"`);
      }
      return reply.type(jsonType).send(`[${page.tasks.map(taskText).join(',')}]`);
    },
  );

  app.get(
    '/api/jobs/:job_id/task-map',
    {
      config: { access: 'viewer', fromStore: true },
      schema: {
        tags,
        operationId: 'getTaskMap',
        summary: 'How the tasks of a job stand by their indices, however many there are',
        description:
          'Counts by status in cells of `width` consecutive tasks: the smallest of 1, 2, 4, 5, 10, 20, 40, ' +
          '50, 100, … with which there are not more cells than asked for. Each column has a number for each cell.',
        params: jobId,
        querystring: mapQuery,
        response: answers(taskMapSchema, 'unknown_job', 'validation_failed'),
      },
    },
    async (request, reply) => {
      const { job_id: id } = request.params;
      const { from = 0, to = null, cells = defaultCells } = request.query;
      if (to !== null && to < from) throw refusedField('to', 'must not be below from');
      const map = await portsOf(coordinator, request).reads.findTaskMap(id, { from, to, cells });
      if (map === undefined) throw unknownJob(id);
      return reply.type(jsonType).send(JSON.stringify(map));
    },
  );

  app.get(
    '/api/jobs/:job_id/errors',
    {
      config: { access: 'viewer', fromStore: true },
      schema: {
        tags,
        operationId: 'listJobErrors',
        summary: 'What went wrong in a job, by kinds of error',
        description:
          'Attempts that failed, were lost or timed out, those of tasks that completed later included. ' +
          'Errors are of one kind when their types are equal, and their messages but for numbers, ids ' +
          'and what stands in quotes.',
        params: jobId,
        querystring: errorsQuery,
        response: answers(jobErrorsSchema, 'unknown_job', 'validation_failed'),
      },
    },
    async (request, reply) => {
      const { job_id: id } = request.params;
      const errors = await portsOf(coordinator, request).reads.findErrors(
        id,
        request.query.limit ?? defaultKinds,
      );
      if (errors === undefined) throw unknownJob(id);
      return reply.type(jsonType).send(JSON.stringify(errors));
    },
  );
}
