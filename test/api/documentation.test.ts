import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { eventTypes } from '../../src/coordinator/streams/wire-events.ts';
import type { ErrorCode } from '../../src/protocol/error-codes.ts';
import { errorTable } from '../../src/protocol/errors.ts';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { coordinatorMessageSchemas } from '../../src/protocol/schemas/coordinator-messages.ts';
import { eventSchemas } from '../../src/protocol/schemas/events.ts';
import { telemetrySchema } from '../../src/protocol/schemas/telemetry.ts';
import { reportArrays } from '../../src/protocol/schemas/worker-calls.ts';
import { workerMessageSchemas } from '../../src/protocol/schemas/worker-messages.ts';
import { exampleIds } from '../../src/protocol/schemas/fields.ts';
import { HandWorker } from './support/hand-worker.ts';
import { danglingReferences } from './support/json-pointer.ts';
import { builtApp } from '../support/dashboard/built-app.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';
import type { Operation } from './support/published-document.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer({}, undefined, {}, { pages: await builtApp() });
});
afterAll(() => live.close());

function allOperations(): [string, string, Operation][] {
  return Object.entries(live.document.document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      path,
      method,
      operation,
    ]),
  );
}

const at = (pointer: readonly string[]): Loose =>
  pointer.reduce<Loose>((value, key) => value[key], live.document.document);

/** The examples that stand beside the schema. */
function givenExamples(content: Loose): unknown[] {
  const several = Object.values<Loose>(content.examples ?? {}).map(({ value }) => value);
  return content.example === undefined ? several : [content.example, ...several];
}

/** The schema's own examples, or those of the schema that it refers to, or of its items. */
function examplesOf(schema: Loose): unknown[] {
  if (schema.examples !== undefined) return schema.examples;
  if (schema.$ref !== undefined) return examplesOf(at(schema.$ref.slice(2).split('/')));
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap(examplesOf);
  if (schema.enum !== undefined) return schema.enum;
  if (schema.items === undefined) return [];
  return examplesOf(schema.items).map((item) => [item]);
}

describe('"`GET /openapi.json` … valid OpenAPI 3.1, made from the same schemas"', () => {
  test('every operation says what it is for and what it answers', () => {
    const { openapi, paths } = live.document.document;
    expect(openapi).toBe('3.1.0');
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        expect(operation.summary, `${method} ${path}`).toBeTruthy();
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['403', '500']));
        for (const status of Object.keys(operation.responses)) {
          const content = operation.responses[status]!.content ?? {};
          for (const type of Object.keys(content)) {
            const pointer = ['paths', path, method, 'responses', status, 'content', type, 'schema'];
            live.document.validatorAt(pointer);
          }
        }
      }
    }
  });

  test('every operation that reads a body says that a body may be wrong, too large and too late', () => {
    const reading = allOperations().filter(
      ([, , operation]) => operation.requestBody !== undefined,
    );
    expect(reading.length).toBeGreaterThan(7);
    for (const [path, method, operation] of reading) {
      const statuses = Object.keys(operation.responses);
      expect(statuses, `${method} ${path}`).toEqual(expect.arrayContaining(['408', '413', '422']));
    }
  });

  test('every operation has a description, and so has every parameter', () => {
    for (const [path, method, operation] of allOperations()) {
      const where = `${method} ${path}`;
      expect(operation.description, where).toMatch(/\.$/);
      for (const parameter of operation.parameters ?? []) {
        expect(parameter.description, `${where} ${parameter.name}`).toBeTruthy();
      }
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const told = (operation.parameters ?? []).filter((each) => each.in === 'path');
      expect(new Set(told.map(({ name }) => name))).toEqual(new Set(named));
    }
  });

  // A new route is named here until it has them; docs/internals/route.md says how.
  test('every operation has an id of its own that makes a good name of a method', () => {
    const ids = allOperations().map(([path, method, { operationId = '' }]) => {
      expect(operationId, `operationId of ${method} ${path}`).toMatch(/^[a-z]+([A-Z][a-z]+)+$/);
      return operationId;
    });
    expect(ids.length - new Set(ids).size).toBe(0);
  });

  test('every body and every answer in JSON is a schema with a name, or a list of them', () => {
    for (const [path, method, operation] of allOperations()) {
      const media = [operation.requestBody, ...Object.values(operation.responses)]
        .map((each) => each?.content?.['application/json'])
        .filter((each) => each !== undefined);
      for (const { schema } of media) {
        const { type, items } = schema as Loose;
        const one: Loose = type === 'array' ? items : schema;
        const isNamed = one.$ref?.startsWith('#/components/schemas/') || one.type === 'string';
        expect(`${method} ${path}: ${isNamed || JSON.stringify(one)}`).toBe(
          `${method} ${path}: true`,
        );
      }
    }
  });

  test('every refusal has an example of each of its codes, in words that fit', () => {
    for (const [path, method, operation] of allOperations()) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        if (status < '400') continue;
        const where = `${method} ${path} ${status}`;
        const { description, content } = answer as Loose;
        const { examples } = content['application/json'];
        for (const [code, { value }] of Object.entries<Loose>(examples)) {
          expect([where, value.code]).toEqual([where, code]);
          expect([where, errorTable[value.code as ErrorCode].status]).toEqual([where, +status]);
          expect(value.detail, where).toMatch(/^\S.{8,}[.?]$/);
          if (code === 'validation_failed') expect(value.errors.length, where).toBeGreaterThan(0);
        }
        const told = [...description.matchAll(/`(\w+)`: /g)].map(([, code]: Loose) => code);
        const codes = Object.keys(examples);
        expect(codes, where).toEqual(told.length === 0 ? codes : told);
      }
    }
  });

  test('every body and every answer in JSON has an example, and the example fits', () => {
    for (const [path, method, operation] of allOperations()) {
      const answers = Object.entries(operation.responses);
      const places = answers.flatMap(([status, { content }]) =>
        Object.keys(content ?? {}).map((type) => ['responses', status, 'content', type]),
      );
      for (const type of Object.keys(operation.requestBody?.content ?? {})) {
        places.push(['requestBody', 'content', type]);
      }
      for (const place of places.filter((each) => each.at(-1) === 'application/json')) {
        const pointer = ['paths', path, method, ...place, 'schema'];
        const examples = [...givenExamples(at(pointer.slice(0, -1))), ...examplesOf(at(pointer))];
        expect(examples.length, pointer.join(' ')).toBeGreaterThan(0);
        for (const example of examples) live.document.validate(pointer, example, pointer.join(' '));
      }
    }
  });

  test('no reference leads nowhere, no schema breaks the rules of JSON Schema 2020-12', () => {
    const { document } = live.document;
    expect(danglingReferences(document)).toEqual([]);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(ajv.validateSchema(schema), name).toBe(true);
    }
    for (const [path, method, operation] of allOperations()) {
      const content = operation.requestBody?.content['application/json'];
      if (content === undefined) continue;
      expect(ajv.validateSchema(content.schema), `${method} ${path}`).toBe(true);
    }
  });

  test('the calls of a worker ask for its token, and others for one where they are needed', () => {
    const free = new Set([
      'get /healthz',
      'get /readyz',
      'post /api/session',
      'delete /api/session',
    ]);
    for (const [path, method, { security }] of allOperations()) {
      const isCall = /\{worker_id\}\/(?:heartbeat|claim|report|release)$/.test(path);
      const needed = isCall ? [{ workerToken: [] }] : [{ token: [] }, { session: [] }, {}];
      const isFree = free.has(`${method} ${path}`);
      expect([method, path, security]).toEqual([method, path, isFree ? undefined : needed]);
    }
  });

  test('the examples of refusals are what is said', async () => {
    const worker = await HandWorker.register(live);
    const done = await live.submit([1]);
    await worker.completeAll();
    const open = await live.submit([1], { requirements: { platform: ['nowhere'] } });
    const path = `/api/workers/${exampleIds.worker}`;
    const bearer = { authorization: 'Bearer somebody' };
    const asked: [string, string, string, object?][] = [
      ['cancelJob', 'POST', `/api/jobs/${done}/cancel`],
      ['retryJob', 'POST', `/api/jobs/${done}/retry`],
      ['deleteJob', 'DELETE', `/api/jobs/${open}`],
      ['getJob', 'GET', `/api/jobs/${exampleIds.job}`],
      ['getTask', 'GET', `/api/jobs/${done}/tasks/12`],
      ['getTaskOutput', 'GET', `/api/jobs/${done}/tasks/0/output`],
      ['listWorkerFailures', 'GET', `${path}/failures`],
      ['claimAssignments', 'POST', `${path}/claim`, { json: {}, headers: bearer }],
      ['claimAssignments', 'POST', `${path}/claim`, { json: {} }],
      ['activateAlgorithm', 'POST', '/api/scheduler/activate/topsis'],
      ['listJobs', 'GET', '/api/jobs?status=%3F'],
      ['uploadBlob', 'PUT', '/api/blobs/report.csv'],
      ['downloadBlob', 'GET', `/api/blobs/${'b5d4045c'.repeat(8)}`],
    ];
    for (const [operationId, method, address, options] of asked) {
      const { status, body } = await live.call(method, address, options ?? {});
      const [, , { responses }] = allOperations().find(
        ([, , operation]) => operation.operationId === operationId,
      )!;
      const { examples } = (responses as Loose)[status].content['application/json'];
      const example = examples[body.code].value;
      expect([operationId, example]).toEqual([operationId, body]);
    }
  });

  test('parameters of a path are required, and no schema is left over', () => {
    const text = JSON.stringify(live.document.document);
    for (const name of Object.keys(live.document.document.components.schemas)) {
      expect(text).toContain(`#/components/schemas/${name}`);
    }
    expect(text).not.toContain('"in":"path","name":"job_id","required":false');
  });

  test('a submission that the document allows is one that is taken', async () => {
    const validator = live.document.validatorAt([
      'paths',
      '/api/jobs',
      'post',
      'requestBody',
      'content',
      'application/json',
      'schema',
    ]);
    const program = { kind: 'javascript', source: 'export default () => 1' };
    const bodies: [object, number][] = [
      [{ program, inputs: [1] }, 201],
      [
        {
          program,
          inputs: { range: { start: 0, count: 2 } },
          priority: 3,
          checkpoint: { interval_seconds: 5 },
        },
        201,
      ],
      [{ program, inputs: [] }, 422],
      [{ program, inputs: [1], extra: 1 }, 422],
      [{ inputs: [1] }, 422],
    ];
    for (const [json, status] of bodies) {
      expect(validator(json)).toBe(status === 201);
      expect((await live.call('POST', '/api/jobs', { json })).status).toBe(status);
    }
  });

  test('docs/reference/rest.md names every operation, and no other', () => {
    const page = readFileSync(new URL('../../docs/reference/rest.md', import.meta.url), 'utf8');
    const told = [...page.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) \| `(\/[^`?]*)/gm)].map(
      ([, method, path]) => `${method} ${path}`,
    );
    const published = Object.entries(live.document.document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const pages = [
      'GET /',
      'GET /docs',
      'GET /openapi.json',
      'GET /asyncapi.json',
      'GET /api/workers/connect',
    ];
    expect(told.sort()).toEqual([...published, ...pages].sort());
  });
});

describe('`GET /asyncapi.json`: the messages of the socket and of the events', () => {
  let document: Loose;
  beforeAll(async () => {
    document = await (await fetch(`${live.url}/asyncapi.json`)).json();
  });

  test('says what it is, and no reference leads nowhere', () => {
    expect(document).toMatchObject({ asyncapi: '3.1.0', info: { title: expect.any(String) } });
    expect(danglingReferences(document)).toEqual([]);
    expect(document.channels.worker.address).toBe('/api/workers/connect');
    expect(document.operations.hearWorker.action).toBe('receive');
  });

  test('every message has a summary and a payload that is a JSON Schema of draft 7', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    for (const [name, message] of Object.entries<Loose>(document.components.messages)) {
      expect(message.summary, name).toBeTruthy();
      expect(ajv.validateSchema(message.payload), name).toBe(true);
      expect(message.payload.properties.type.const, name).toBe(message.name);
    }
  });

  test('each message that a channel names is described by the schema that checks it', () => {
    const sides = {
      hearWorker: workerMessageSchemas(defaultLimits),
      tellWorker: coordinatorMessageSchemas,
      tellEvents: eventSchemas,
    };
    const resolve = ($ref: string): Loose =>
      $ref
        .slice(2)
        .split('/')
        .reduce<Loose>((value, key) => value[key], document);
    for (const [operation, schemas] of Object.entries(sides)) {
      for (const { $ref } of document.operations[operation].messages) {
        const type: string = $ref.split('/').at(-1);
        const { name, payload } = resolve(resolve($ref).$ref);
        const schema = (schemas as Readonly<Record<string, z.ZodType>>)[type]!;
        const { $schema: _, ...told } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
        expect([operation, name, payload]).toEqual([operation, type, told]);
      }
    }
  });

  test('holds every message of both sides and every event', () => {
    const names = (operation: string) =>
      document.operations[operation].messages.map(({ $ref }: Loose) => $ref.split('/').at(-1));
    expect(names('hearWorker')).toEqual(Object.keys(workerMessageSchemas(defaultLimits)));
    expect(names('tellWorker')).toEqual(Object.keys(coordinatorMessageSchemas));
    expect(names('tellEvents')).toEqual(Object.keys(eventTypes));
  });

  test('takes a frame that the coordinator takes, and refuses one that it refuses', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const isHello = ajv.compile(document.components.messages.hello.payload);
    const hello = {
      type: 'hello',
      protocol: 1,
      device: { type: 'pc', platform: 'linux' },
      attempts: [],
    };
    expect(isHello(hello)).toBe(true);
    expect(isHello({ ...hello, of_a_newer_worker: 1 })).toBe(true);
    expect(isHello({ ...hello, device: {} })).toBe(false);
  });
});

describe('the pages of the reference', () => {
  const page = (name: string) =>
    readFileSync(new URL(`../../docs/reference/${name}`, import.meta.url), 'utf8');

  test('events.md tells every type with its meaning', () => {
    const rows = [...page('events.md').matchAll(/^\| `(\w+)` \| (.*) \|$/gm)];
    const told = rows.map(([, type, meaning]) => [type, meaning]);
    expect(told.slice(-Object.keys(eventTypes).length)).toEqual(Object.entries(eventTypes));
  });

  test('worker-protocol.md tells every message of both sides', () => {
    const text = page('worker-protocol.md');
    const section = (from: string, to: string) =>
      text.slice(text.indexOf(from), to === '' ? undefined : text.indexOf(to));
    const names = (part: string) => [...part.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(names(section('| From the worker', '| From the coordinator'))).toEqual(
      Object.keys(workerMessageSchemas(defaultLimits)),
    );
    expect(names(section('| From the coordinator', '`hello` is exact'))).toEqual(
      Object.keys(coordinatorMessageSchemas),
    );
    expect(names(section('## Reports', '## Telemetry')).slice(0, 7)).toEqual(
      Object.values(reportArrays),
    );
    for (const name of Object.keys(telemetrySchema.shape)) expect(text).toContain(`\`${name}\``);
  });
});

describe('"`GET /` and `GET /docs`: 200 directly (no redirect, whatever `Accept`)"', () => {
  test.each(['/', '/docs'])('%s is a page that needs no other network', async (path) => {
    for (const accept of ['text/html', 'application/json', '*/*', 'image/png']) {
      const options = { headers: { accept }, redirect: 'manual' } as const;
      const response = await fetch(`${live.url}${path}`, options);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const html = await response.text();
      expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
      const policy = response.headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      const files = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css|svg|png))"/g)];
      expect(files.length).toBeGreaterThan(1);
      for (const [, file] of files) {
        const part = await fetch(new URL(file!, `${live.url}${path}`));
        expect(`${file} ${part.status}`).toBe(`${file} 200`);
        await part.arrayBuffer();
      }
    }
  });
});

describe('the OpenAPI document', () => {
  test('is valid by the official schema of OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate({
      ...structuredClone(live.document.document),
    });
    expect(errors).toBe(undefined);
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  test('says of every 429 and 503 when to try again', () => {
    const refusals = allOperations().flatMap(([path, , { responses }]) =>
      ['429', '503'].map((status) => [path, (responses as Loose)[status]] as const),
    );
    const given = refusals.filter(([, response]) => response !== undefined);
    expect(given.length).toBeGreaterThan(20);
    const silent = given.filter(([, { headers }]) => headers?.['Retry-After'] === undefined);
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  test('would be found out if it were not', async () => {
    const broken = { ...structuredClone(live.document.document), paths: [] };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });
});
