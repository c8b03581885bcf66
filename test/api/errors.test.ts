import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { errorTable } from '../../src/protocol/errors.ts';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer } from '../../src/server/server.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { type LiveServer, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer({
    bodyBytes: 100_000,
    inputBytes: 1000,
    programBytes: 2000,
    inputsPerJob: 500,
  });
});
afterAll(() => live.close());

const asJson = { 'content-type': 'application/json' };
const strangeIds = [
  '__proto__',
  'constructor',
  'toString',
  'a%2Fb',
  '%zz',
  '%',
  '%00',
  '%E0%A4%A',
  '..%2F..',
  '%20',
  "'%20OR%201=1--",
  '🦊',
  'a'.repeat(10_000),
  '0',
  '-1',
  'null',
];

describe('unknown things', () => {
  test('"Ids are opaque: … get a 404, never a 400 or 500"', async () => {
    const templates = [
      ['GET', '/api/jobs/ID'],
      ['GET', '/api/jobs/ID/results'],
      ['POST', '/api/jobs/ID/cancel'],
      ['POST', '/api/jobs/ID/retry'],
      ['DELETE', '/api/workers/ID'],
      ['GET', '/api/workers/ID/failures'],
      ['POST', '/api/workers/ID/drain'],
      ['POST', '/api/workers/ID/resume'],
      ['POST', '/api/scheduler/activate/ID'],
    ] as const;
    for (const [method, template] of templates) {
      for (const id of strangeIds) {
        const { status } = await live.call(method, template.replace('ID', id));
        expect(`${status} ${method} ${template} ${id}`).toBe(`404 ${method} ${template} ${id}`);
      }
    }
  });

  test('an empty id is an unknown path', async () => {
    for (const path of ['/api/jobs/', '/api/jobs//results', '/api/workers//failures']) {
      expect((await live.call('GET', path)).status).toBe(404);
    }
    expect((await live.call('DELETE', '/api/workers/')).status).toBe(404);
  });

  test('"unknown routes (404)", whatever body comes along', async () => {
    for (const path of [
      '/nope',
      '/api',
      '/api/',
      '/api/job',
      '/api/stats/x',
      '/docs/static/nope.js',
    ]) {
      expect((await live.call('GET', path)).status).toBe(404);
    }
    const headers = { 'content-type': 'nonsense' };
    expect((await live.call('POST', '/nope', { body: 'x', headers })).body.code).toBe('not_found');
  });

  test('"wrong methods (405)" say what is possible', async () => {
    const { status, headers, body } = await live.call('PATCH', '/api/jobs', { body: '{}' });
    expect([status, body.code]).toEqual([405, 'method_not_allowed']);
    expect(headers.get('allow')).toBe('GET, HEAD, POST');
    expect((await live.call('POST', '/api/stats')).headers.get('allow')).toBe('GET, HEAD');
    const one = await live.call('OPTIONS', '/api/workers/x');
    expect(one.headers.get('allow')).toBe('DELETE, GET, HEAD');
    expect((await live.call('PROPFIND', '/')).status).toBe(405);
    expect((await live.call('QUERY', '/api/jobs')).status).toBe(405);
  });
});

describe('bodies', () => {
  const submission = (more: object) => ({ program, inputs: [1], ...more });

  const faulty: readonly (readonly [string, unknown, string])[] = [
    ['nothing', {}, 'program'],
    ['an array', [], 'body'],
    ['null', null, 'body'],
    ['no inputs', { program }, 'inputs'],
    ['empty inputs', { program, inputs: [] }, 'inputs'],
    ['too many inputs', { program, inputs: Array(501).fill(0) }, '500'],
    ['a range of nothing', { program, inputs: { range: { start: 0, count: 0 } } }, 'count'],
    ['a range of halves', { program, inputs: { range: { start: 0.5, count: 1 } } }, 'start'],
    [
      'a range beyond numbers',
      { program, inputs: { range: { start: 2 ** 53 - 1, count: 2 } } },
      'range',
    ],
    ['inputs of another kind', { program, inputs: 'abc' }, 'inputs'],
    ['no source', { program: { kind: 'javascript' }, inputs: [1] }, 'program.source'],
    ['an empty source', { program: { ...program, source: '' }, inputs: [1] }, 'program.source'],
    [
      'a long source',
      { program: { ...program, source: 'é'.repeat(1500) }, inputs: [1] },
      'program_bytes',
    ],
    [
      'another kind',
      { program: { kind: 'cobol', source: 'x' }, inputs: [1] },
      'program.kind must be "javascript" or "wasm" or "python" or "command"; "cobol" was given.',
    ],
    ['a program that is a text', { program: 'x', inputs: [1] }, 'program must be an object'],
    [
      'a module that is no blob',
      { program: { kind: 'wasm', module: 'AGFzbQ==' }, inputs: [1] },
      'program.module must be {"$blob": "<sha256>"}',
    ],
    [
      'a blob that is not there',
      { program: { kind: 'wasm', module: { $blob: '0'.repeat(64) } }, inputs: [1] },
      `program.module refers to the blob ${'0'.repeat(64)}, which is not there; upload it first`,
    ],
    [
      'a wheel for another machine',
      {
        program: {
          kind: 'python',
          source: 'x',
          packages: [
            { name: 'x-1-cp311-cp311-linux_x86_64.whl', content: { $blob: '0'.repeat(64) } },
          ],
        },
        inputs: [1],
      },
      'or is made for pyemscripten_2026_0_wasm32',
    ],
    [
      'a path of an executable',
      { program: { kind: 'command', command: '/bin/sh' }, inputs: [1] },
      'program.command must be 1 to 64 letters, digits, dots, dashes and underscores',
    ],
    [
      'a placeholder that there is not',
      { program: { kind: 'command', command: 'sh', args: ['-c', '{shell}'] }, inputs: [1] },
      'program.args[1] must have no other placeholders',
    ],
    [
      'an unknown field',
      submission({ maxAttempts: 1 }),
      '"maxAttempts" (did you mean "max_attempts"?)',
    ],
    ['an unknown field inside', { program: { ...program, x: 1 }, inputs: [1] }, '"x"'],
    ['a priority of text', submission({ priority: '5' }), 'priority'],
    ['a fraction of priority', submission({ priority: 0.5 }), 'priority'],
    ['too much priority', submission({ priority: 1001 }), '1000'],
    [
      'a priority that is a long text',
      submission({ task_priorities: ['1'.repeat(63)] }),
      'task_priorities[0] must be an integer from -1000 to 1000.',
    ],
    ['too few task priorities', submission({ task_priorities: [1, 2] }), 'task_priorities'],
    ['an empty name', submission({ name: '' }), 'name'],
    ['a long name', submission({ name: 'x'.repeat(201) }), '200'],
    ['a name of null', submission({ name: null }), 'name'],
    ['an empty client', submission({ client_id: '' }), 'client_id'],
    ['no attempts', submission({ max_attempts: 0 }), 'max_attempts'],
    ['a negative delay', submission({ retry_delay_seconds: -1 }), 'retry_delay_seconds'],
    ['no time', submission({ attempt_timeout_seconds: 0 }), 'attempt_timeout_seconds'],
    ['another choice', submission({ on_task_failure: 'panic' }), 'continue, fail_job'],
    ['another choice of lateness', submission({ late_results: 1 }), 'late_results'],
    [
      'an isolation that no sandbox has',
      submission({ requirements: { isolation: 'bublewrap' } }),
      'requirements.isolation must be one of ses, bubblewrap',
    ],
    ['empty requirements', submission({ requirements: { type: [] } }), 'requirements.type'],
    [
      'labels of numbers',
      submission({ requirements: { labels: { gpu: 1 } } }),
      'requirements.labels',
    ],
    ['a checkpoint of nothing', submission({ checkpoint: {} }), 'checkpoint.interval_seconds'],
  ];

  test.each(faulty)('%s: 422 with a sentence that names it', async (_name, json, named) => {
    const { status, body } = await live.call('POST', '/api/jobs', { json });
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    expect(body.detail).toContain(named);
    expect(body.errors.length).toBeGreaterThan(0);
  });

  test.each([
    ['missing', undefined, {}],
    ['empty', '', asJson],
    ['not JSON', '{"program":', asJson],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), asJson],
    ['of no content type', new Uint8Array([0x7b, 0x7d]), {}],
    ['of a wrong content type', '{}', { 'content-type': 'text/plain' }],
    ['of a garbled content type', '{}', { 'content-type': 'ab cd;;=' }],
    ['compressed', '{}', { ...asJson, 'content-encoding': 'gzip' }],
    ['too deep', '['.repeat(5000) + ']'.repeat(5000), asJson],
    ['infinite', '{"inputs":[1e999]}', asJson],
  ])('a body that is %s: "**422**. Never 400 or 415"', async (_name, body, headers) => {
    for (const [method, path] of [
      ['POST', '/api/jobs'],
      ['PUT', '/api/scheduler/config'],
    ] as const) {
      const options = {
        headers: headers as Record<string, string>,
        ...(body === undefined ? {} : { body }),
      };
      const answer = await live.call(method, path, options);
      expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    }
  });

  test('"413 for a body over its limit", and its sender gets to read the answer', async () => {
    const json = { program, inputs: ['x'.repeat(200_000)] };
    const { status, body } = await live.call('POST', '/api/jobs', { json });
    expect([status, body.code]).toEqual([413, 'payload_too_large']);
    expect(body.detail).toContain('body_bytes');
    const long = await live.call('POST', '/api/jobs', {
      json: { program, inputs: [1, 'x'.repeat(1000)] },
    });
    expect(long.status).toBe(413);
    expect(long.body.detail).toContain('inputs[1]');
    expect(long.body.detail).toContain('input_bytes');
  });

  test('`__proto__` in an input is data, in the body an unknown field', async () => {
    const good = `{"program":${JSON.stringify(program)},"inputs":[{"__proto__":{"a":1}}]}`;
    expect((await live.call('POST', '/api/jobs', { body: good, headers: asJson })).status).toBe(
      201,
    );
    const bad = `{"__proto__":{},"program":${JSON.stringify(program)},"inputs":[1]}`;
    expect((await live.call('POST', '/api/jobs', { body: bad, headers: asJson })).status).toBe(422);
  });

  test('"Endpoints without a request body ignore whatever body and content type they get"', async () => {
    const headers = { 'content-type': 'application/;;x' };
    for (const [method, path] of [
      ['POST', '/api/scheduler/activate/fifo'],
      ['DELETE', '/api/database/clear'],
    ] as const) {
      expect((await live.call(method, path, { body: '{"broken', headers })).status).toBe(200);
      expect((await live.call(method, path, { body: 'x'.repeat(300_000), headers })).status).toBe(
        200,
      );
    }
  });
});

describe('queries', () => {
  test.each([
    '/api/jobs?status=done',
    '/api/jobs?status=',
    '/api/jobs?status=failed&status=completed',
    '/api/jobs?limit=0',
    '/api/jobs?limit=-1',
    '/api/jobs?limit=ten',
    '/api/jobs?limit=',
    '/api/jobs?limit=1.5',
    '/api/jobs?limit=1000000',
    '/api/jobs/x?tasks=maybe',
    '/api/jobs/x/results?follow=perhaps',
  ])('"A bad query parameter: 422": %s', async (path) => {
    expect((await live.call('GET', path)).status).toBe(422);
  });
});

describe('below the framework', () => {
  test.each([
    ['garbage', 'GARBAGE\r\n\r\n', 400],
    ['an unknown method', 'BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    [
      'endless headers',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
      413,
    ],
    [
      'two lengths',
      'POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    ['no host', 'GET /api/stats HTTP/1.1\r\nConnection: close\r\n\r\n', 403],
  ])('%s is answered in JSON', async (_name, text, status) => {
    const answer = await raw(text);
    expect(answer.split(' ')[1]).toBe(String(status));
    const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as { detail: unknown };
    expect(typeof body.detail).toBe('string');
  });

  test('an offer of HTTP/2 is an ordinary request', async () => {
    const text =
      'GET /api/stats HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n';
    expect((await raw(text)).split(' ')[1]).toBe('200');
  });

  function raw(text: string): Promise<string> {
    const { hostname, port } = new URL(live.url);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => (answer += String(chunk))).on('end', () => resolve(answer));
      socket.on('error', reject);
    });
  }
});

describe('a disk that is full', () => {
  test('"When a commit fails, the requests that wait for it get a 500 with a `detail`"', async () => {
    const full = await startLiveServer({}, openSqliteStore(':memory:', { maxPages: 100 }));
    const inputs = Array.from({ length: 100 }, (_, i) => `${i}`.padEnd(10_000, 'x'));
    const { status, body } = await full.call('POST', '/api/jobs', { json: { program, inputs } });
    expect([status, body.code]).toEqual([500, 'storage_failed']);
    expect(body.detail).toContain('disk');
    expect(await full.coordinator.failed).toBeInstanceOf(Error);
    const later = await full.call('GET', '/api/stats');
    expect([later.status, later.body.code]).toEqual([503, 'shutting_down']);
    await full.server.close();
  });
});

describe('who may ask', () => {
  test.each([
    [{ host: 'evil.example' }, 403],
    [{ host: 'localhost.evil.example' }, 403],
    [{ host: '127.0.0.1.evil.example' }, 403],
    [{ host: '192.168.1.5:8000' }, 403],
    [{ host: 'localhost', origin: 'https://evil.example' }, 403],
    [{ host: 'localhost', origin: 'null' }, 403],
    [{ host: 'localhost:1234', origin: 'http://localhost:1234' }, 200],
    [{ host: '127.0.0.1:1234' }, 200],
    [{ host: '[::1]:1234' }, 200],
    [{ host: 'muster.localhost' }, 200],
  ])(
    '"`Origin` and `Host` checked (loopback names always allowed)": %o → %i',
    async (headers, status) => {
      expect(await statusFor(headers)).toBe(status);
    },
  );

  test('refuses to listen beyond loopback, and says what to do', async () => {
    const { server } = live;
    await expect(server.listen({ host: '0.0.0.0', port: 0 })).rejects.toThrow(/127\.0\.0\.1/);
  });

  test('a taken port is named', async () => {
    const port = Number(new URL(live.url).port);
    const log = pino({ level: 'silent' });
    const third = createServer({ coordinator: live.coordinator, limits: defaultLimits, log });
    await expect(third.listen({ host: '127.0.0.1', port })).rejects.toThrow(
      `ort ${port} on 127.0.0.1 is taken`,
    );
    // The command line tries the next port with the same server.
    const url = await third.listen({ host: '127.0.0.1', port: 0 });
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    await third.close();
  });

  function statusFor(headers: Record<string, string>): Promise<number> {
    return new Promise((resolve, reject) => {
      request(`${live.url}/api/stats`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode!);
      })
        .on('error', reject)
        .end();
    });
  }
});

describe('the table', () => {
  test('docs/reference/errors.md lists every code with its status and meaning', () => {
    const page = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (.*) \|$/gm)];
    const told = rows.map(([, code, status, meaning]) => [code, Number(status), meaning]);
    const actual = Object.entries(errorTable).map(([code, { status, meaning }]) => [
      code,
      status,
      meaning,
    ]);
    expect(told).toEqual(actual);
  });
});
