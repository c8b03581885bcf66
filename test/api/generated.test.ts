// Requests made from the published document, valid ones and broken ones, against a coordinator that
// lives through all of them: never a 5xx, never an error without a `detail` that is a string, never an
// answer that the document does not allow.

import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HandWorker } from './support/hand-worker.ts';
import { type Answer, type LiveServer, startLiveServer } from './support/live-server.ts';
import { valueOf } from './support/schema-values.ts';

const runs = Number(process.env['MUSTER_GENERATED_REQUESTS'] ?? 1500);
/** Streams and long polls have no end of their own: what has come by then is what is looked at. */
const patienceMs = 60;

let live: LiveServer;
let ids: { job: string; worker: string; token: string };
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

beforeAll(async () => {
  live = await startLiveServer({ bodyBytes: 20_000, workers: 100_000 });
  await renew();
});
afterAll(async () => {
  agent.destroy();
  await live.close();
});

/** A job that has ended and a worker; made again when a request has removed them. */
async function renew(): Promise<void> {
  const worker = await HandWorker.register(live);
  const job = await live.submit([1, 2, 3]);
  await worker.completeAll();
  const json = { type: 'pc', platform: 'linux', labels: { circle: 'none' } };
  const { body } = await live.call('POST', '/api/workers', { json });
  ids = { job, worker: body.worker_id, token: body.worker_token };
}

interface Made {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** A blob that anybody can upload, with an empty body. */
const hashOfNothing = createHash('sha256').digest('hex');

const hostileIds = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '%2F',
  '..%2f..%2fetc',
  '%zz',
  '%',
  '%00',
  '%E0%A4%A',
  '',
  '.',
  '..',
  'a'.repeat(10_000),
  '%F0%9F%A6%8A',
  'NaN',
  '-1',
  '0',
  '1e9',
  ';drop',
  '{job_id}',
  '*',
];

test(`${runs} generated requests: no 5xx, no \`detail\` that is not a string`, async () => {
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(requests(), async (made) => {
      const sent = withIds(made);
      const answer = await send(sent);
      if (answer === 'open') return;
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      expect(answer.status).toBeLessThan(500);
      live.document.check(sent.method, sent.path, answer);
      if (sent.method === 'DELETE' && answer.status === 200) await renew();
    }),
    { numRuns: runs, seed: 20_261_123, endOnFailure: true },
  );
  // The generator reaches what it is for.
  for (const status of [200, 201, 401, 403, 404, 405, 422]) {
    expect(`${status}: ${(statuses.get(status) ?? 0) > 0}`).toBe(`${status}: true`);
  }
  expect((await live.call('GET', '/readyz')).status).toBe(200);
  const job = await live.submit([1]);
  expect((await live.call('GET', `/api/jobs/${job}`)).status).toBe(200);
}, 120_000);

/** An operation of the document with everything right, then mostly something wrong. */
function requests(): fc.Arbitrary<Made> {
  const { paths } = live.document.document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  // The calls of a worker have the most to them: they come three times as often.
  const calls = operations.filter(({ operation }) => operation.security !== undefined);
  return fc.constantFrom(...operations, ...calls, ...calls).chain(({ path, method, operation }) => {
    const schema = operation.requestBody?.content['application/json']?.schema;
    const body =
      schema === undefined ? fc.constant(undefined) : valueOf(schema, live.document.document);
    return fc
      .record({
        method: mostly(
          method.toUpperCase(),
          fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'),
        ),
        path: pathOf(path),
        query: queryOf(operation.parameters ?? []),
        token: fc.constantFrom('TOKEN', 'TOKEN', 'TOKEN', 'TOKEN', 'guessed', null, 'a b', 'é'),
        type: mostly(
          'application/json',
          fc.constantFrom('text/plain', '', 'application/x-ndjson', ';;'),
        ),
        key: mostly(null, fc.constantFrom('', 'k', 'two words', 'x'.repeat(300), '__proto__')),
        body: body.chain((value) => bodyText(value)),
      })
      .map((made) => ({
        method: made.method,
        path: `${made.path}${made.query}`,
        headers: {
          ...(made.token === null ? {} : { authorization: `Bearer ${latin1(made.token)}` }),
          ...(made.type === '' ? {} : { 'content-type': made.type }),
          ...(made.key === null ? {} : { 'idempotency-key': made.key }),
        },
        body: made.body,
      }));
  });
}

/** The names of what is there now in the place of their stand-ins. */
function withIds(made: Made): Made {
  const named = (text: string) =>
    text.replace('JOB', ids.job).replace('WORKER', ids.worker).replace('TOKEN', ids.token);
  const { authorization, ...rest } = made.headers;
  const headers =
    authorization === undefined ? rest : { ...rest, authorization: named(authorization) };
  return { ...made, path: named(made.path), headers };
}

function mostly<T, U>(usual: T, odd: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd });
}

function pathOf(template: string): fc.Arbitrary<string> {
  const known = template.includes('worker_id')
    ? 'WORKER'
    : template.includes('{algorithm}')
      ? 'edas'
      : template.includes('job_id')
        ? 'JOB'
        : template.includes('{sha256}')
          ? hashOfNothing
          : '';
  const id = fc.oneof(
    { weight: 4, arbitrary: fc.constant(known) },
    { weight: 3, arbitrary: fc.constantFrom(...hostileIds) },
    { weight: 1, arbitrary: fc.webSegment() },
  );
  const tail = mostly('', fc.constantFrom('/', '//', '/x', '%00', '.json', '/..'));
  const index = fc.constantFrom(
    '0',
    '2',
    '3',
    '-1',
    '1.5',
    'x',
    '__proto__',
    '99999999999999999999',
  );
  return fc
    .tuple(id, index, tail)
    .map(
      ([value, at, end]) => template.replace('{index}', at).replace(/\{\w+\}/, () => value) + end,
    );
}

function queryOf(parameters: readonly { readonly in: string; readonly name: string }[]) {
  const names = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  const value = fc.constantFrom(
    '1',
    '0',
    '',
    'true',
    'false',
    '-1',
    '1e400',
    '%00',
    '%zz',
    'JOB',
    'completed',
    'reset',
    '2026-05-04T09:30:00Z',
    '10',
    '__proto__',
    'a'.repeat(5000),
  );
  const name = fc.constantFrom(...names, 'unknown', '__proto__', 'limit[]', 'a%00');
  return fc
    .array(fc.tuple(name, value), { maxLength: 3 })
    .map((pairs) =>
      pairs.length === 0 ? '' : `?${pairs.map((pair) => pair.join('=')).join('&')}`,
    );
}

/** The value as JSON text, as it is or broken in one place. */
function bodyText(value: unknown): fc.Arbitrary<string | undefined> {
  if (value === undefined) return mostly(undefined, fc.constantFrom('{', 'x'.repeat(30_000), '[]'));
  const text = JSON.stringify(value) ?? '';
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(text) },
    { weight: 1, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', 'null', '[]', '{}', '5', '"x"', '{"__proto__":{}}'),
    },
    { weight: 1, arbitrary: fc.nat(text.length).map((at) => text.slice(0, at)) },
    { weight: 3, arbitrary: mutated(value).map((changed) => JSON.stringify(changed)) },
    { weight: 1, arbitrary: fc.constant(`{"a":"${'x'.repeat(25_000)}"}`) },
  );
}

const oddities = [null, -1, 0, 1.5, 1e308, '', 'x', true, [], {}, ['x'], { a: 1 }, '9'.repeat(400)];

/** One field is another, is gone, or is new. */
function mutated(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fc.constantFrom(...oddities);
  }
  const names = [...Object.keys(value), 'surplus', 'constructor'];
  return fc
    .tuple(fc.constantFrom(...names), fc.constantFrom(...oddities), fc.nat(3))
    .chain(([name, odd, how]) => {
      const { [name]: inner, ...rest } = value as Record<string, unknown>;
      if (how === 0) return fc.constant(rest);
      if (how === 1 && inner !== undefined) {
        return mutated(inner).map((changed) => ({ ...rest, [name]: changed }));
      }
      return fc.constant({ ...rest, [name]: odd });
    });
}

function send({ method, path, headers, body }: Made): Promise<Answer | 'open'> {
  const { hostname, port } = new URL(live.url);
  return new Promise((resolve, reject) => {
    let response: IncomingMessage | undefined;
    let text = '';
    const finish = (answer: Answer | 'open') => {
      clearTimeout(timer);
      resolve(answer);
    };
    const answered = () => answerOf(response!, text);
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const call = request({
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...length },
      agent,
    });
    const timer = setTimeout(
      () => {
        const isStream = response !== undefined && !response.headers['content-length'];
        finish(isStream && response!.statusCode! < 400 ? 'open' : response ? answered() : 'open');
        call.destroy();
      },
      patienceMs * (path.includes('/claim') || /follow|events/.test(path) ? 1 : 100),
    );
    call.on('response', (head) => {
      response = head;
      head.setEncoding('utf8');
      head.on('data', (chunk: string) => (text += chunk));
      head.on('end', () => finish(answered()));
      head.on('error', () => finish('open'));
    });
    call.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    call.end(body);
  });
}

function answerOf(response: IncomingMessage, text: string): Answer {
  const headers = new Headers(response.headers as Record<string, string>);
  const isJson = (headers.get('content-type') ?? '').startsWith('application/json') && text !== '';
  const body: unknown = isJson ? JSON.parse(text) : undefined;
  return { status: response.statusCode!, headers, text, body };
}

/** What may stand in a header at all. */
function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
