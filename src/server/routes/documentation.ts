// `/openapi.json`, `/docs`, which shows it as a page, and `/asyncapi.json` for socket and events.
// All files of the page come from this server, so that it works without any other network.

import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform } from 'fastify-type-provider-zod';
import type { Limits } from '../../protocol/limits.ts';
import { AnswerExamples, type Paths } from '../answer-examples.ts';
import type { AccessClass } from '../access/roles.ts';
import type { App } from '../app.ts';
import { asyncApiDocument } from '../async-api.ts';
import { namedComponents } from '../schema-names.ts';
import { pageFile } from './plain-pages.ts';

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

const documentDescription =
  'A coordinator for distributed computation: jobs in, tasks to workers, results out.\n\n' +
  'Not listed here: every GET also answers HEAD, without the body; a path that exists answers 405 with ' +
  '`Allow` to other methods. [`/`](/) and [`/docs`](/docs) are pages for people, ' +
  '[`/openapi.json`](/openapi.json) is this document, and `/api/workers/connect` is the socket of ' +
  'workers, whose messages are in [`/asyncapi.json`](/asyncapi.json).';

/** Call before other routes are added: only those that come later are documented. */
export function addDocumentation(app: App, version: string, limits: Limits): void {
  const transform = createJsonSchemaTransform({});
  const examples = new AnswerExamples(limits);
  void app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Muster',
        version,
        description: documentDescription,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      externalDocs: {
        url: '/asyncapi.json',
        description: 'The messages of the socket of workers and of the event stream',
      },
      servers: [{ url: '/', description: 'The coordinator that serves this document' }],
      security: [],
      tags: [
        { name: 'jobs', description: 'What clients submit, and what comes of it' },
        { name: 'workers', description: 'The devices that do the work' },
        { name: 'worker calls', description: 'What a worker without a socket calls' },
        { name: 'scheduler', description: 'Who gets the next task' },
        { name: 'recovery', description: 'Checkpoints, and what became of lost attempts' },
        { name: 'evaluation', description: 'How well the work went' },
        { name: 'blobs', description: 'What is too large for a message, under its hash' },
        { name: 'events', description: 'What happens, as it happens' },
        { name: 'access', description: 'Tokens, and the sessions of pages' },
        { name: 'system', description: 'The coordinator itself' },
      ],
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'A token of `muster token create`; nobody needs one while there is none',
          },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'muster_session',
            description:
              'Of a page: `POST /api/session` sets it, as `__Host-muster_session` under TLS',
          },
          workerToken: {
            type: 'http',
            scheme: 'bearer',
            description: 'The `worker_token` that `POST /api/workers` has answered',
          },
        },
      },
    },
    transform: (route) => {
      examples.gather(route);
      const transformed = withUpload(transform(route));
      return withSecurity(transformed, route.route.config?.access);
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) throw new Error('The document is OpenAPI 3.');
      const { paths: inline, components, ...rest } = document.openapiObject;
      const { paths, schemas } = namedComponents(inline as Readonly<Record<string, unknown>>);
      examples.addTo(paths as Paths);
      addRetryAfter(paths as Paths);
      return { ...rest, paths, components: { ...components, schemas } } as never;
    },
  });
  void app.register(async (scope) => {
    const instance = scope as unknown as FastifyInstance;
    instance.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'anybody' };
    });
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
        css: [
          { filename: 'docs.css', content: pageFile('docs.css', 'docs') },
          { filename: 'login.css', content: pageFile('login.css', 'login') },
        ],
        js: [
          { filename: 'docs.js', content: pageFile('docs.js', 'docs') },
          { filename: 'login.js', content: pageFile('login.js', 'login') },
        ],
        favicon: [
          {
            filename: 'favicon.svg',
            rel: 'icon',
            type: 'image/svg+xml',
            sizes: 'any',
            content: pageFile('favicon.svg', 'icon'),
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
  // Both are made when they are first asked for: few ask, and every start would wait.
  let messages: object | undefined;
  const messagesDocument = () => (messages ??= asyncApiDocument(version, limits));
  void app.register(async (scope) => {
    const config = { access: 'anybody' } as const;
    scope.get('/openapi.json', { config, schema: { hide: true } }, () => app.swagger());
    scope.get('/asyncapi.json', { config, schema: { hide: true } }, messagesDocument);
  });
}

type Transformed = ReturnType<ReturnType<typeof createJsonSchemaTransform>>;

const uploadExample =
  '{"program":{"kind":"javascript","source":"export default (n) => n * n"}}\n1\n2\n3\n';
const binary = { schema: { type: 'string', format: 'binary' } };

/** A job may come as lines too: the body of its submission has two content types. A blob is bytes. */
function withUpload(transformed: Transformed): Transformed {
  const schema = transformed.schema as { body?: object } & Record<string, unknown>;
  if (schema?.body === undefined) return transformed;
  if (transformed.url === '/api/blobs/:sha256') {
    const content = { 'application/octet-stream': binary, '*/*': binary };
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

/** Where nobody needs a token yet, an operation is served without one. */
function withSecurity(transformed: Transformed, access: AccessClass | undefined): Transformed {
  if (access === undefined || access === 'anybody') return transformed;
  const security =
    access === 'worker' ? [{ workerToken: [] }] : [{ token: [] }, { session: [] }, {}];
  return { ...transformed, schema: { ...transformed.schema, security } };
}

/** Adds `Retry-After` to the refusals that are temporary. */
function addRetryAfter(paths: Paths): void {
  for (const methods of Object.values(paths)) {
    for (const { responses } of Object.values(methods)) {
      for (const status of ['429', '503']) {
        const response = responses?.[status];
        if (response !== undefined) response.headers = { 'Retry-After': retryAfter };
      }
    }
  }
}

const retryAfter = {
  description: 'Seconds until another try is worth it; absent with `shutting_down`',
  schema: { type: 'integer', minimum: 1 },
};
