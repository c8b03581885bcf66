// The evaluation of the work: four views of the same records.

import { z } from 'zod';
import { queryInteger, queryTime } from '../../protocol/schemas/fields.ts';
import {
  attemptHistorySchema,
  evaluationMetricsSchema,
  loadDistributionSchema,
  throughputHistorySchema,
  workerPerformanceSchema,
} from '../../protocol/schemas/evaluation.ts';
import { answers } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { refusedField, unknownJob } from '../refusal.ts';
import { jsonType } from '../text-stream.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['evaluation'];
const periodQuery = z.object({
  job_id: z.string('must be given once').exactOptional().describe('Only this job'),
  since: queryTime().exactOptional().describe('Only from this time on, ISO 8601'),
  until: queryTime().exactOptional().describe('Only before this time, ISO 8601'),
});

const historyQuery = periodQuery.extend({
  bucket_seconds: queryInteger(1, 31_536_000)
    .exactOptional()
    .describe('Length of one point; default 10'),
});

const longestHistory = 10_000;
const defaultHistory = 1_000;

const attemptsQuery = z.object({
  job_id: periodQuery.shape.job_id,
  worker_id: z.string('must be given once').exactOptional().describe('Only on this worker'),
  since: queryTime().exactOptional().describe('Only what was live then or later, ISO 8601'),
  until: queryTime().exactOptional().describe('Only what was assigned before, ISO 8601'),
  limit: queryInteger(1, longestHistory)
    .exactOptional()
    .describe(`How many at most; default ${defaultHistory}`),
});

const refusals = ['unknown_job', 'validation_failed'] as const;

export function addEvaluationRoutes(app: App, context: RouteContext): void {
  addAttemptRoute(app, context);
  const { coordinator } = context;
  app.get(
    '/api/evaluation/metrics',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getEvaluationMetrics',
        summary: 'Summary metrics across all workers and jobs',
        description: 'Times, throughput, fairness, energy, recovery and the cost of deciding.',
        querystring: periodQuery,
        response: answers(evaluationMetricsSchema, ...refusals),
      },
    },
    async (request) =>
      known(
        await portsOf(coordinator, request).evaluation.metrics(period(request.query)),
        request.query,
      ),
  );

  app.get(
    '/api/evaluation/load-distribution',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getLoadDistribution',
        summary: 'Task distribution per worker',
        description: 'Workers that were online at some moment count, deregistered ones included.',
        querystring: periodQuery,
        response: answers(loadDistributionSchema, ...refusals),
      },
    },
    async (request) =>
      known(
        await portsOf(coordinator, request).evaluation.loadDistribution(period(request.query)),
        request.query,
      ),
  );

  app.get(
    '/api/evaluation/throughput-history',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'getThroughputHistory',
        summary: 'Time series of throughput (tasks/s)',
        description: 'The last hour in buckets of 10 seconds, unless asked otherwise.',
        querystring: historyQuery,
        response: answers(throughputHistorySchema, ...refusals),
      },
    },
    async (request) => {
      const { bucket_seconds: bucketSeconds } = request.query;
      const how = {
        ...period(request.query),
        ...(bucketSeconds === undefined ? {} : { bucketSeconds }),
      };
      return known(
        await portsOf(coordinator, request).evaluation.throughputHistory(how),
        request.query,
      );
    },
  );

  app.get(
    '/api/evaluation/worker-performance',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'listWorkerPerformance',
        summary: 'Per-worker average task time, throughput, energy and failure rate',
        description: 'A bare array, one entry for each worker.',
        querystring: periodQuery,
        response: answers(z.array(workerPerformanceSchema), ...refusals),
      },
    },
    async (request) => [
      ...known(
        await portsOf(coordinator, request).evaluation.workerPerformance(period(request.query)),
        request.query,
      ),
    ],
  );
}

/** In a function of its own, since that one would be too long. */
function addAttemptRoute(app: App, { coordinator }: RouteContext): void {
  app.get(
    '/api/evaluation/attempts',
    {
      config: { access: 'viewer' },
      schema: {
        tags,
        operationId: 'listAttempts',
        summary: 'Who did what when: attempts that are live, and the newest of those that are over',
        description:
          'Live attempts first, then those that are over, newest end first. From memory: what ended before ' +
          '`kept_since` may be left out, and what ended before the coordinator was started is. Attempts of ' +
          'removed jobs are removed with them.',
        querystring: attemptsQuery,
        response: answers(attemptHistorySchema, ...refusals),
      },
    },
    async (request, reply) => {
      const { worker_id: workerId, limit, ...query } = request.query;
      const found = await portsOf(coordinator, request).evaluation.attempts({
        ...period(query),
        ...(workerId === undefined ? {} : { workerId }),
        limit: limit ?? defaultHistory,
      });
      return reply.type(jsonType).send(JSON.stringify(known(found, query)));
    },
  );
}

type Period = z.infer<typeof periodQuery>;

function period({ job_id: jobId, since, until }: Period) {
  const [from, to] = [since, until].map((time) =>
    time === undefined ? undefined : Date.parse(time),
  );
  if (from !== undefined && to !== undefined && from > to) {
    throw refusedField('until', 'must not be before since');
  }
  return {
    ...(jobId === undefined ? {} : { jobId }),
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to }),
  };
}

/** Undefined: there is no such job, and only a job that was asked for can be missing. */
function known<T>(answer: T | undefined, { job_id: id }: Period): T {
  if (answer === undefined) throw unknownJob(id ?? '');
  return answer;
}
