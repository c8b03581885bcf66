// `/openapi.json` and the page that shows it, `/docs`. Everything on the page comes from here, so
// that it works on a machine without any other network.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import * as resources from '../../protocol/schemas/resources.ts';
import { errorBodySchema } from '../../protocol/schemas/refusal.ts';
import { schedulerConfigSchema } from '../../protocol/schemas/scheduler.ts';
import type { App } from '../app.ts';
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

/** Before any other route: it hears of those that come after it. */
export function addDocumentation(app: App, version: string): void {
  const schemaRegistry = namedSchemas();
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
        { name: 'scheduler', description: 'Who gets the next task' },
        { name: 'system', description: 'The coordinator itself' },
      ],
    },
    transform: (route) => withUpload(transform(route)),
    transformObject: (document) => withoutUnused(transformObject(document) as OpenApi),
  });
  void app.register(async (scope) => {
    const instance = scope as unknown as FastifyInstance;
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
        // Without the bar at the top, which offers documents from elsewhere.
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
  });
}

type OpenApi = { components?: { schemas?: Record<string, unknown> } };
type Transformed = ReturnType<ReturnType<typeof createJsonSchemaTransform>>;

function namedSchemas() {
  const registry = z.registry<{ id: string }>();
  registry.add(resources.statsSchema, { id: 'SystemStats' });
  registry.add(resources.jobSummarySchema, { id: 'JobSummary' });
  registry.add(resources.jobHeadSchema, { id: 'JobHead' });
  registry.add(resources.jobDetailSchema, { id: 'JobDetail' });
  registry.add(resources.taskEntrySchema, { id: 'TaskEntry' });
  registry.add(resources.taskResultSchema, { id: 'TaskResult' });
  registry.add(resources.workerSchema, { id: 'Worker' });
  registry.add(resources.workerFailureSchema, { id: 'WorkerFailure' });
  registry.add(schedulerConfigSchema, { id: 'SchedulerConfig' });
  registry.add(errorBodySchema, { id: 'Error' });
  return registry;
}

/** A job may come as lines too: the body of its submission has two content types. */
function withUpload(transformed: Transformed): Transformed {
  const schema = transformed.schema as { body?: object } & Record<string, unknown>;
  if (transformed.url !== '/api/jobs' || schema?.body === undefined) return transformed;
  const description = 'First line: the job without `inputs`. Then one input a line, any JSON.';
  const content = {
    'application/json': { schema: schema.body },
    'application/x-ndjson': { schema: { type: 'string', description } },
  };
  return { ...transformed, schema: { ...schema, body: { content } } };
}

/** The registry names every schema once as input and once as output; most are only one of them. */
function withoutUnused(document: OpenApi): never {
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
  return document as never;
}
