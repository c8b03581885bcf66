// The evaluation of the work: four views of the same records.

import { z } from 'zod';
import { queryInteger } from '../../protocol/schemas/fields.ts';
import {
  evaluationMetricsSchema,
  loadDistributionSchema,
  throughputHistorySchema,
  workerPerformanceSchema,
} from '../../protocol/schemas/evaluation.ts';
import { answers } from '../answers.ts';
import { portsOf } from '../access/access.ts';
import type { App } from '../app.ts';
import { addAttemptRoute } from './attempts.ts';
import { known, period, periodQuery } from './evaluation-period.ts';
import type { RouteContext } from './route-context.ts';

const tags = ['evaluation'];
const historyQuery = periodQuery.extend({
  bucket_seconds: queryInteger(1, 31_536_000)
    .exactOptional()
    .describe('Length of one point; default 10'),
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
