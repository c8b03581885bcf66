// `/openapi.json`, `/docs`, which shows it as a page, and `/asyncapi.json` for socket and events.
// All files of the page come from this server, so that it works without any other network.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import * as evaluation from '../../protocol/schemas/evaluation.ts';
import type { Limits } from '../../protocol/limits.ts';
import * as explanations from '../../protocol/schemas/explanations.ts';
import * as resources from '../../protocol/schemas/resources.ts';
import { errorBodySchema } from '../../protocol/schemas/refusal.ts';
import { schedulerConfigSchema } from '../../protocol/schemas/scheduler.ts';
import { schedulingInfoSchema } from '../../protocol/schemas/scheduling-info.ts';
import * as task from '../../protocol/schemas/task.ts';
import * as calls from '../../protocol/schemas/worker-calls.ts';
import type { App } from '../app.ts';
import { asyncApiDocument } from '../async-api.ts';
import { pageFile } from './status-page.ts';

const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Call before other routes are added: only those that come later are documented. */
export function addDocumentation(app: App, version: string, limits: Limits): void {
  const messages = asyncApiDocument(version, limits);
  const schemaRegistry = z.globalRegistry;
  const transform = createJsonSchemaTransform({ schemaRegistry });
  const transformObject = createJsonSchemaTransformObject({ schemaRegistry });
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Muster',
        version,
        description:
          'A coordinator for distributed computation: jobs in, tasks to workers, results out.',
      },
      tags: [
        { name: 'jobs', description: 'What clients submit, and what comes of it' },
        { name: 'workers', description: 'The devices that do the work' },
        { name: 'worker calls', description: 'What a worker without a socket calls' },
        { name: 'scheduler', description: 'Who gets the next task' },
        { name: 'recovery', description: 'Checkpoints, and what became of lost attempts' },
        { name: 'evaluation', description: 'How well the work went' },
        { name: 'blobs', description: 'What is too large for a message, under its hash' },
        { name: 'events', description: 'What happens, as it happens' },
        { name: 'system', description: 'The coordinator itself' },
      ],
      components: {
        securitySchemes: {
          workerToken: {
            type: 'http',
            scheme: 'bearer',
            description: 'The `worker_token` that `POST /api/workers` has answered',
          },
        },
      },
    },
    transform: (route) => withUpload(transform(route)),
    transformObject: (document) =>
      withRetryAfter(withoutUnused(transformObject(document) as OpenApi)),
  });
  void app.register(async (scope) => {
    const instance = scope as unknown as FastifyInstance;
    // Browsers do not send these conditions when they read. The files would answer 412, which no
    // route has.
    instance.addHook('onRequest', (request, _reply, done) => {
      delete request.raw.headers['if-match'];
      delete request.raw.headers['if-unmodified-since'];
      done();
    });
    await instance.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: contentPolicy,
      theme: {
        title: 'Muster: the interface',
        favicon: [
          {
            filename: 'favicon.svg',
            rel: 'icon',
            type: 'image/svg+xml',
            sizes: 'any',
            content: pageFile('favicon.svg'),
          },
        ],
      },
      uiConfig: {
        // This layout has no bar at the top, which would offer other documents.
        layout: 'BaseLayout',
        docExpansion: 'list',
        deepLinking: true,
        tryItOutEnabled: true,
        validatorUrl: null,
      },
    });
  });
  void app.register(async (scope) => {
    scope.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
    scope.get('/asyncapi.json', { schema: { hide: true } }, () => messages);
  });
}

type OpenApi = {
  components?: { schemas?: Record<string, unknown> };
  paths?: Record<string, Record<string, { responses?: Record<string, { headers?: object }> }>>;
};
type Transformed = ReturnType<ReturnType<typeof createJsonSchemaTransform>>;

const namedSchemas: Readonly<Record<string, z.ZodType>> = {
  SystemStats: resources.statsSchema,
  JobSummary: resources.jobSummarySchema,
  JobHead: resources.jobHeadSchema,
  JobDetail: resources.jobDetailSchema,
  Blob: resources.blobSchema,
  TaskEntry: resources.taskEntrySchema,
  TaskResult: resources.taskResultSchema,
  TaskDetail: task.taskDetailSchema,
  TaskExplanation: explanations.taskExplanationSchema,
  Checkpoint: task.checkpointSchema,
  RecoveryEvent: task.recoveryEventSchema,
  Worker: resources.workerSchema,
  WorkerFailure: resources.workerFailureSchema,
  SchedulerConfig: schedulerConfigSchema,
  SchedulingInfo: schedulingInfoSchema,
  Criterion: explanations.criterionDescriptionSchema,
  SchedulerPreview: explanations.schedulerPreviewSchema,
  EvaluationMetrics: evaluation.evaluationMetricsSchema,
  LoadDistribution: evaluation.loadDistributionSchema,
  ThroughputHistory: evaluation.throughputHistorySchema,
  WorkerPerformance: evaluation.workerPerformanceSchema,
  RegisteredWorker: calls.registeredSchema,
  HeartbeatAnswer: calls.heartbeatCallAnswerSchema,
  Assignments: calls.claimAnswerSchema,
  ReportAnswer: calls.reportAnswerSchema,
  Error: errorBodySchema,
};

// The registry that holds descriptions and examples takes the names too.
for (const [id, schema] of Object.entries(namedSchemas)) {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
}

const uploadExample =
  '{"program":{"kind":"javascript","source":"export default (n) => n * n"}}\n1\n2\n3\n';

/** A job may come as lines too: the body of its submission has two content types. A blob is bytes. */
function withUpload(transformed: Transformed): Transformed {
  const schema = transformed.schema as { body?: object } & Record<string, unknown>;
  if (schema?.body === undefined) return transformed;
  if (transformed.url === '/api/blobs/:sha256') {
    const content = {
      'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
    };
    return { ...transformed, schema: { ...schema, body: { content } } };
  }
  if (transformed.url !== '/api/jobs') return transformed;
  const description = 'First line: the job without `inputs`. Then one input a line, any JSON.';
  const content = {
    'application/json': { schema: schema.body },
    'application/x-ndjson': { schema: { type: 'string', description }, example: uploadExample },
  };
  return { ...transformed, schema: { ...schema, body: { content } } };
}

/** Adds `Retry-After` to the refusals that are temporary. */
function withRetryAfter(document: OpenApi): never {
  for (const methods of Object.values(document.paths ?? {})) {
    for (const { responses } of Object.values(methods)) {
      for (const status of ['429', '503']) {
        const response = responses?.[status];
        if (response !== undefined) response.headers = { 'Retry-After': retryAfter };
      }
    }
  }
  return document as never;
}

const retryAfter = {
  description: 'Seconds until another try is worth it; absent with `shutting_down`',
  schema: { type: 'integer', minimum: 1 },
};

/** The registry names every schema once as input and once as output; most are only one of them. */
function withoutUnused(document: OpenApi): OpenApi {
  const schemas = document.components?.schemas ?? {};
  for (let removed = true; removed; ) {
    removed = false;
    const text = JSON.stringify(document);
    for (const name of Object.keys(schemas)) {
      if (text.includes(`"#/components/schemas/${name}"`)) continue;
      delete schemas[name];
      removed = true;
    }
  }
  return document;
}
