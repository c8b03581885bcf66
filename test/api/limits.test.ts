// "Limits … are settings with documented defaults, listed at `GET /api/limits`, and each has a test
// that crosses it." A limit without a case below fails the first test.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as dialTo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as dialTls } from 'node:tls';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { defaultLimits, type Limits } from '../../src/protocol/limits.ts';
import { Metrics } from '../../src/server/metrics.ts';
import { createServer } from '../../src/server/server.ts';
import { blobOf } from '../../src/store/conformance/rows.ts';
import { testCertificate } from '../support/test-certificate.ts';
import { EventReader } from './support/event-reader.ts';
import {
  eventually,
  type LiveServer,
  type Loose,
  program,
  startLiveServer,
} from './support/live-server.ts';

const small: Limits = {
  bodyBytes: 3000,
  bodyValues: 60,
  inputsPerJob: 10,
  inputBytes: 500,
  programBytes: 300,
  moduleBytes: 900,
  fileBytes: 1500,
  sharedBytes: 700,
  programArguments: 3,
  argumentBytes: 64,
  environmentVariables: 2,
  environmentBytes: 50,
  resultBytes: 200,
  checkpointBytes: 200,
  blobBytes: 1000,
  frameBytes: 2000,
  frameOutlineBytes: 1500,
  frameOutlineValues: 100,
  helloBytes: 600,
  nameCharacters: 20,
  idempotencyKeyCharacters: 12,
  errorMessageCharacters: 30,
  errorStackCharacters: 40,
  outputCharacters: 20,
  jobOutputCharacters: 50,
  liveOutputCharacters: 30,
  progressMessageCharacters: 12,
  labelsPerWorker: 2,
  slotsPerWorker: 4,
  workers: 6,
  workerBytes: 400,
  newcomerBytes: 1_000_000,
  inFlightBytes: 1000,
  answerBytes: 5_000_000,
  connections: 60,
  handshakes: 4,
  connectionsPerToken: 5,
  strangerConnections: 4,
  tlsHandshakes: 1,
  strangerRequests: 3,
  wrongTokens: 3,
  logins: 2,
  registrations: 2,
};

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer(small);
});
afterAll(() => live.close());

interface Crossing {
  readonly status: number;
  readonly detail: string;
}

const device = { type: 'pc', platform: 'linux' };
/** Requirements that no worker of this file fulfils. */
const nowhere = { platform: ['nowhere'] };
const submission = { program, inputs: [1] };

/** For each limit: the answer one step beyond it; the last step before it must be accepted. */
const crossings: { readonly [K in keyof Limits]: () => Promise<Crossing> } = {
  bodyBytes: () => submit({ ...submission, name: 'x'.repeat(3000) }),
  bodyValues: async () => {
    // A key and a value each; eleven are the job without its name.
    const labels = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, '']));
    await taken(registration({ telemetry: labels(25) }));
    return registration({ telemetry: labels(30) });
  },
  inputsPerJob: async () => {
    await taken(submit({ program, inputs: Array(10).fill(0) }));
    expect((await submit({ program, inputs: { range: { start: 0, count: 11 } } })).status).toBe(
      422,
    );
    expect((await upload('1\n'.repeat(11))).detail).toContain('inputs_per_job');
    return submit({ program, inputs: Array(11).fill(0) });
  },
  inputBytes: async () => {
    await taken(submit({ program, inputs: ['x'.repeat(498)] }));
    await taken(upload(`"${'x'.repeat(498)}"`));
    expect((await upload(`"${'x'.repeat(499)}"`)).status).toBe(413);
    return submit({ program, inputs: ['x'.repeat(499)] });
  },
  programBytes: async () => {
    await taken(submit({ program: { ...program, source: 'é'.repeat(150) }, inputs: [1] }));
    return submit({ program: { ...program, source: 'é'.repeat(151) }, inputs: [1] });
  },
  moduleBytes: async () => {
    await taken(submitWasm({ module: await blob(900) }));
    const wheel = async (name: string, bytes: number) => ({
      name: `${name}-1.0-py3-none-any.whl`,
      content: await blob(bytes),
    });
    const packages = [await wheel('a', 450), await wheel('b', 451)];
    const python = { kind: 'python', source: 'def run(input, task): pass', packages };
    expect((await submit({ program: python, inputs: [1] })).detail).toBe(
      'The packages of the program have 901 bytes, and may have 900 (limit module_bytes).',
    );
    return submitWasm({ module: await blob(901) });
  },
  fileBytes: async () => {
    const files = async (more: number) => ({ '/a': await blob(800), '/b': await blob(700 + more) });
    await taken(submitWasm({ files: await files(0) }));
    return submitWasm({ files: await files(1) });
  },
  sharedBytes: async () => {
    await taken(submit({ ...submission, shared: 'x'.repeat(698) }));
    await taken(submit({ ...submission, shared: await blob(700) }));
    expect(await submit({ ...submission, shared: await blob(701) })).toEqual({
      status: 422,
      detail: 'shared has 701 bytes, and may have 700 (limit shared_bytes).',
    });
    return submit({ ...submission, shared: 'x'.repeat(699) });
  },
  programArguments: async () => {
    await taken(submitWasm({ args: ['a', 'b', 'c'] }));
    return submitWasm({ args: ['a', 'b', 'c', 'd'] });
  },
  argumentBytes: async () => {
    await taken(submitWasm({ args: ['é'.repeat(32)] }));
    return submitWasm({ args: [`${'é'.repeat(32)}a`] });
  },
  environmentVariables: async () => {
    await taken(submitWasm({ env: { A: '1', B: '2' } }));
    return submitWasm({ env: { A: '1', B: '2', C: '3' } });
  },
  environmentBytes: async () => {
    await taken(submitWasm({ env: { A: 'é'.repeat(24), B: '' } }));
    return submitWasm({ env: { A: 'é'.repeat(24), B: '1' } });
  },
  resultBytes: async () => {
    await taken(finish({ value: 'x'.repeat(198) }));
    return finish({ value: 'x'.repeat(199) });
  },
  checkpointBytes: async () => {
    await taken(checkpoint('x'.repeat(198)));
    return checkpoint('x'.repeat(199));
  },
  blobBytes: async () => {
    await taken(putBlob(1000));
    expect((await putBlob(1001, true)).status).toBe(413);
    return putBlob(1001);
  },
  frameBytes: async () => {
    const socket = await connect();
    socket.send(' '.repeat(2001));
    const code = await new Promise<number>((resolve) => socket.once('close', resolve));
    const { worker, headers } = await register();
    const json = { results: [{ value: 'x'.repeat(2001) }] };
    const answer = await live.call('POST', `/api/workers/${worker}/report`, { json, headers });
    expect(code).toBe(1009);
    return { status: answer.status, detail: answer.body.detail };
  },
  frameOutlineBytes: async () => {
    const report = (spaces: number) => reported(`{"results":[{"value":0}${' '.repeat(spaces)}]}`);
    await taken(report(1400));
    const large = await reported(`{"results":[{"value":"${'x'.repeat(1800)}"}]}`);
    expect(large.status).toBe(200);
    return report(1500);
  },
  frameOutlineValues: async () => {
    await taken(reported(JSON.stringify({ results: Array(97).fill(0) })));
    const socket = await connect();
    socket.send(JSON.stringify(Array(100).fill(0)));
    expect((await lastWords(socket)).detail).toContain('frame_outline_values');
    return reported(JSON.stringify({ results: Array(98).fill(0) }));
  },
  helloBytes: async () => {
    const socket = await connect();
    const hello = { type: 'hello', protocol: 1, device, attempts: [] };
    socket.send(JSON.stringify({ ...hello, telemetry: { x: 'x'.repeat(600) } }));
    expect((await lastWords(socket)).detail).toContain('hello_bytes');
    return registration({ telemetry: { x: 'x'.repeat(600) } });
  },
  nameCharacters: async () => {
    await taken(submit({ ...submission, name: 'é'.repeat(20) }));
    return submit({ ...submission, name: 'é'.repeat(21) });
  },
  idempotencyKeyCharacters: async () => {
    await taken(submit(submission, { 'idempotency-key': 'k'.repeat(12) }));
    return submit(submission, { 'idempotency-key': 'k'.repeat(13) });
  },
  errorMessageCharacters: async () => {
    const { status, detail } = await fail('x'.repeat(31));
    expect(detail).toBe(`${'x'.repeat(29)}…`);
    // A failure counts whatever the length of its message, which is cut.
    return { status, detail: 'error_message_characters' };
  },
  errorStackCharacters: async () => {
    const { status, body } = await failWith({ error_stack: 'x'.repeat(41) });
    expect(body.error.stack).toBe(`${'x'.repeat(39)}…`);
    return { status, detail: 'error_stack_characters' };
  },
  outputCharacters: async () => {
    const { status, output } = await failWith({ output: 'x'.repeat(21) });
    expect(output.text).toBe(`${'x'.repeat(19)}…`);
    return { status, detail: 'output_characters' };
  },
  jobOutputCharacters: async () => {
    const last = await failWith({ error_stack: 'x'.repeat(30), output: 'y'.repeat(20) });
    expect([last.status, last.output.text]).toEqual([200, 'y'.repeat(20)]);
    // Beyond it the failure counts, and neither its stack nor its output is kept.
    const { body, output } = await failWith({
      error_stack: 'x'.repeat(31),
      output: 'y'.repeat(20),
    });
    expect(body.error).toEqual({ type: 'Oops', message: 'no' });
    return { status: output.status, detail: 'job_output_characters' };
  },
  liveOutputCharacters: async () => {
    expect(await printedLive('x'.repeat(15), 'y'.repeat(15))).toEqual([
      ['x'.repeat(15), 0],
      ['y'.repeat(15), 0],
    ]);
    // Beyond it the rest is left out, which the next event counts.
    expect(await printedLive('x'.repeat(20), 'y'.repeat(11))).toEqual([
      ['x'.repeat(20), 0],
      ['y'.repeat(10), 0],
    ]);
    return { status: 200, detail: 'live_output_characters' };
  },
  progressMessageCharacters: async () => {
    expect((await progress('x'.repeat(12))).detail).toBe('x'.repeat(12));
    const { status, detail } = await progress('x'.repeat(13));
    expect(detail).toBe(`${'x'.repeat(11)}…`);
    return { status, detail: 'progress_message_characters' };
  },
  labelsPerWorker: async () => {
    await taken(registration({ labels: { a: '1', b: '2' } }));
    return registration({ labels: { a: '1', b: '2', c: '3' } });
  },
  slotsPerWorker: async () => {
    await taken(registration({ slots: 4 }));
    return registration({ slots: 5 });
  },
  workers: async () => {
    for (;;) {
      const answer = await registration({}, false);
      const { length } = (await live.call('GET', '/api/workers')).body;
      expect(length).toBeLessThanOrEqual(6);
      if (answer.status !== 201) return answer;
    }
  },
  workerBytes: async () => {
    const server = await startLiveServer({ workerBytes: 400 });
    try {
      const json = (characters: number) => ({ ...device, labels: { a: 'é'.repeat(characters) } });
      const fits = await server.call('POST', '/api/workers', { json: json(170) });
      expect(fits.status).toBe(201);
      const { status, body } = await server.call('POST', '/api/workers', { json: json(180) });
      return { status, detail: body.detail };
    } finally {
      await server.close();
    }
  },
  newcomerBytes: async () => {
    const server = await startLiveServer({ newcomerBytes: 5000 });
    try {
      const registered = () => server.call('POST', '/api/workers', { json: device });
      for (let i = 0; i < 4; i++) expect((await registered()).status).toBe(201);
      const socket = await connect(server.url);
      socket.send(JSON.stringify({ type: 'hello', protocol: 1, device, attempts: [] }));
      expect((await lastWords(socket)).detail).toContain('newcomer_bytes');
      const { status, body } = await registered();
      return { status, detail: body.detail };
    } finally {
      await server.close();
    }
  },
  inFlightBytes: async () => {
    // Of each body the first 64 KiB are free.
    const server = await startLiveServer({ inFlightBytes: 1000 });
    try {
      const json = (bytes: number) => ({ program, inputs: ['x'.repeat(bytes)] });
      const fits = await server.call('POST', '/api/jobs', { json: json(65_000) });
      expect(fits.status).toBe(201);
      const answer = await server.call('POST', '/api/jobs', { json: json(70_000) });
      expect(answer.headers.get('retry-after')).toBe('1');
      return { status: answer.status, detail: answer.body.detail };
    } finally {
      await server.close();
    }
  },
  answerBytes: async () => {
    const server = await startLiveServer({ answerBytes: 1000 });
    const worker = await server.worker(() => ({ value: 'x'.repeat(900_000) }));
    const { hostname, port } = new URL(server.url);
    const unread = await dial(hostname, Number(port));
    try {
      const id = await server.submit(Array.from({ length: 30 }, (_, i) => i));
      await eventually(
        () => server.call('GET', `/api/jobs/${id}?tasks=false`),
        ({ body }) => body.status === 'completed',
      );
      unread.write(`GET /api/jobs/${id}/results HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      const answer = await eventually(
        () => server.call('GET', '/api/jobs'),
        ({ status }) => status !== 200,
      );
      expect(answer.headers.get('retry-after')).toBe('1');
      // Short answers, health checks and calls that bring or end work need no memory.
      expect((await server.call('GET', '/api/stats')).status).toBe(200);
      expect((await server.call('POST', `/api/jobs/${id}/cancel`)).status).toBe(409);
      unread.resetAndDestroy();
      await eventually(
        () => server.call('GET', '/api/jobs'),
        ({ status }) => status === 200,
      );
      return { status: answer.status, detail: answer.body.detail };
    } finally {
      unread.destroy();
      worker.end();
      await server.close();
    }
  },
  connections: async () => {
    const { hostname, port } = new URL(live.url);
    const open: Socket[] = [];
    try {
      for (let i = 0; i < 60; i++) open.push(await dial(hostname, Number(port)));
      const one = open.at(-1)!;
      one.write('GET /api/stats HTTP/1.1\r\nHost: localhost\r\n\r\n');
      const answer = (await text(one)).split('\r\n\r\n');
      expect(answer[0]).toContain('retry-after: 1');
      const { detail } = JSON.parse(answer[1]!) as { detail: string };
      return { status: Number(answer[0]!.split(' ')[1]), detail };
    } finally {
      for (const socket of open) socket.destroy();
    }
  },
  handshakes: async () => {
    const server = await startLiveServer({ handshakes: 4 });
    try {
      // Half of them from one address.
      const open = await Promise.all([connect(server.url), connect(server.url)]);
      const refused = new WebSocket(`${server.url.replace('http', 'ws')}/api/workers/connect`);
      const [code, reason] = (await once(refused, 'close')) as [number, Buffer];
      for (const socket of open) {
        socket.send(JSON.stringify({ type: 'hello', protocol: 1, device, attempts: [] }));
        expect((await lastWords(socket)).type).toBe('welcome');
      }
      // Whoever has said hello does not count any more.
      await Promise.all([connect(server.url), connect(server.url)]);
      return { status: code, detail: reason.toString() };
    } finally {
      await server.close();
    }
  },
  connectionsPerToken: async () => {
    const readers = Array.from({ length: 4 }, () => new EventReader(live.url));
    await Promise.all(readers.map((reader) => reader.opened));
    const socket = await connect();
    const closed = await connect();
    const code = await new Promise<number>((resolve) => closed.once('close', resolve));
    expect(code).toBe(1013);
    const { status, headers, body } = await live.call('GET', '/api/events');
    expect(headers.get('retry-after')).toBe('1');
    await readers[0]!.cut();
    socket.close();
    const again = new EventReader(live.url);
    await again.opened;
    expect(again.status).toBe(200);
    for (const reader of [...readers, again]) await reader.cut();
    return { status, detail: body.detail };
  },
  strangerConnections: () =>
    withTokens({ strangerConnections: 4 }, async ({ url, refused }) => {
      const { hostname, port } = new URL(url);
      // Half of them from one address; the oldest is cut.
      const open = [await dial(hostname, Number(port)), await dial(hostname, Number(port))];
      open[0]!.on('error', () => {});
      const cut = new Promise((resolve) => open[0]!.once('close', resolve));
      open.push(await dial(hostname, Number(port)));
      await cut;
      for (const socket of open) socket.destroy();
      return { status: 0, detail: await refused() };
    }),
  tlsHandshakes: () =>
    withTokens({}, async ({ coordinator }) => {
      const limits = { ...defaultLimits, tlsHandshakes: 1 };
      const credentials = { current: testCertificate(), onChange: () => {} };
      const metrics = new Metrics({ version: '1.2.3' });
      const log = pino({ level: 'silent' });
      const secure = createServer({ coordinator, limits, log, credentials, metrics });
      const { hostname: host, port } = new URL(await secure.listen({ host: '127.0.0.1', port: 0 }));
      try {
        // In the mean over ten seconds.
        const options = { host, port: Number(port), rejectUnauthorized: false };
        for (let i = 0; i < 10; i++) {
          const socket = dialTls(options);
          await once(socket, 'secureConnect');
          socket.destroy();
        }
        await expect(once(dialTls(options), 'secureConnect')).rejects.toThrow(
          /ECONNRESET|disconnected/,
        );
        return { status: 0, detail: refusedIn(await metrics.render(false, undefined)) };
      } finally {
        await secure.close();
      }
    }),
  strangerRequests: () =>
    withTokens({ strangerRequests: 3 }, async ({ ask }) => {
      for (const path of ['/api/stats', '/', '/docs']) await ask('GET', path);
      expect((await ask('GET', '/readyz')).status).toBe(200);
      return ask('GET', '/api/stats');
    }),
  wrongTokens: () =>
    withTokens({ wrongTokens: 3 }, async ({ ask }) => {
      const wrong = { authorization: 'Bearer made-up' };
      for (let i = 0; i < 3; i++) expect((await ask('GET', '/api/stats', wrong)).status).toBe(401);
      return ask('GET', '/api/stats', wrong);
    }),
  logins: () =>
    withTokens({ logins: 2 }, async ({ ask, token }) => {
      const login = () => ask('POST', '/api/session', {}, { token });
      expect([(await login()).status, (await login()).status]).toEqual([200, 200]);
      return login();
    }),
  registrations: () =>
    withTokens({ registrations: 2 }, async ({ ask, token }) => {
      const headers = { authorization: `Bearer ${token}` };
      const enter = () => ask('POST', '/api/workers', headers, device);
      expect([(await enter()).status, (await enter()).status]).toEqual([201, 201]);
      return enter();
    }),
};

const statuses: { readonly [K in keyof Limits]: number } = {
  bodyBytes: 413,
  bodyValues: 413,
  inputsPerJob: 422,
  inputBytes: 413,
  programBytes: 422,
  moduleBytes: 422,
  fileBytes: 422,
  sharedBytes: 413,
  programArguments: 422,
  argumentBytes: 422,
  environmentVariables: 422,
  environmentBytes: 422,
  resultBytes: 200,
  checkpointBytes: 200,
  blobBytes: 413,
  frameBytes: 413,
  frameOutlineBytes: 413,
  frameOutlineValues: 413,
  helloBytes: 413,
  nameCharacters: 422,
  idempotencyKeyCharacters: 422,
  errorMessageCharacters: 200,
  errorStackCharacters: 200,
  outputCharacters: 200,
  jobOutputCharacters: 404,
  liveOutputCharacters: 200,
  progressMessageCharacters: 200,
  labelsPerWorker: 422,
  slotsPerWorker: 422,
  workers: 429,
  workerBytes: 422,
  newcomerBytes: 429,
  inFlightBytes: 503,
  answerBytes: 503,
  connections: 503,
  handshakes: 1013,
  connectionsPerToken: 429,
  // Cut before anything can be said.
  strangerConnections: 0,
  tlsHandshakes: 0,
  strangerRequests: 429,
  wrongTokens: 429,
  logins: 429,
  registrations: 429,
};

describe('one step beyond', () => {
  test.each(Object.keys(crossings) as (keyof Limits)[])('%s', async (name) => {
    const { status, detail } = await crossings[name]();
    expect(status).toBe(statuses[name]);
    const named = detail.includes(snakeCase(name)) || detail.includes(String(small[name]));
    expect(`${detail} ${named}`).toBe(`${detail} true`);
  });
});

test('`GET /api/limits` lists every limit in force by its name on the wire', async () => {
  const { body } = await live.call('GET', '/api/limits');
  const expected = Object.entries(small).map(([name, value]) => [snakeCase(name), value]);
  expect(body).toEqual(Object.fromEntries(expected));
});

test('docs/reference/rest.md tells every limit with its default', () => {
  const page = readFileSync(new URL('../../docs/reference/rest.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('## Limits'));
  const rows = [...section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)];
  const told = rows.map(([, name, value]) => [name, Number(value)]);
  const actual = Object.entries(defaultLimits).map(([name, value]) => [snakeCase(name), value]);
  expect(told).toEqual(actual);
});

interface Guarded {
  readonly url: string;
  readonly coordinator: LiveServer['coordinator'];
  /** Of an admin. */
  readonly token: string;
  readonly ask: (
    method: string,
    path: string,
    headers?: Record<string, string>,
    json?: object,
  ) => Promise<Crossing>;
  /** What was refused, and how often. */
  readonly refused: () => Promise<string>;
}

/** A server that asks for tokens. */
async function withTokens(
  limits: Partial<Limits>,
  use: (server: Guarded) => Promise<Crossing>,
): Promise<Crossing> {
  const server = await startLiveServer(limits);
  try {
    const { url, coordinator } = server;
    const made = await coordinator.tokens.create({ kind: 'admin' });
    if (!made.ok) throw new Error(made.rejection.detail);
    const { token } = made.value;
    return await use({
      url,
      coordinator,
      token,
      ask: async (method, path, headers = {}, json) => {
        const options = { headers, ...(json === undefined ? {} : { json }) };
        const { status, headers: told, body } = await server.call(method, path, options);
        if (status === 429) expect(Number(told.get('retry-after'))).toBeGreaterThanOrEqual(1);
        return { status, detail: body?.detail ?? '' };
      },
      refused: async () => {
        const headers = { authorization: `Bearer ${token}` };
        return refusedIn((await server.call('GET', '/metrics', { headers })).text);
      },
    });
  } finally {
    await server.close();
  }
}

function refusedIn(metrics: string): string {
  return metrics.match(/^muster_refused_total.*$/gm)?.join('\n') ?? '';
}

async function taken(answer: Promise<Crossing>): Promise<void> {
  const { status, detail } = await answer;
  expect(`${status} ${detail}`).toMatch(/^20\d /);
}

async function submit(job: object, headers = {}): Promise<Crossing> {
  const json = { ...job, requirements: nowhere };
  const { status, body } = await live.call('POST', '/api/jobs', { json, headers });
  return { status, detail: body.detail ?? '' };
}

/** A program that nobody can run. */
async function submitWasm(more: object): Promise<Crossing> {
  return submit({ program: { kind: 'wasm', module: await blob(1), ...more }, inputs: [1] });
}

/** A reference to so many bytes. */
async function blob(sizeBytes: number) {
  const { bytes, sha256 } = blobOf(sizeBytes);
  const { status } = await live.call('PUT', `/api/blobs/${sha256}`, { body: bytes });
  expect([200, 201]).toContain(status);
  return { $blob: sha256 };
}

async function upload(inputs: string): Promise<Crossing> {
  const headers = { 'content-type': 'application/x-ndjson' };
  const body = `${JSON.stringify({ program, requirements: nowhere })}\n${inputs}`;
  const answer = await live.call('POST', '/api/jobs', { body, headers });
  return { status: answer.status, detail: answer.body.detail ?? '' };
}

/** With its length in the head, or in pieces of which nobody knows how many there are. */
async function putBlob(sizeBytes: number, isStream = false): Promise<Crossing> {
  const { sha256, bytes } = blobOf(sizeBytes);
  const body = isStream ? new Blob([bytes as Uint8Array<ArrayBuffer>]).stream() : bytes;
  const answer = await live.call('PUT', `/api/blobs/${sha256}`, { body });
  return { status: answer.status, detail: answer.body.detail ?? '' };
}

/** Registers a worker, and takes it away again unless it is to stay. */
async function registration(more: object, leaves = true): Promise<Crossing> {
  const { status, body } = await live.call('POST', '/api/workers', {
    json: { ...device, ...more },
  });
  if (leaves && status === 201) await live.call('DELETE', `/api/workers/${body.worker_id}`);
  return { status, detail: body.detail ?? '' };
}

async function register(more: object = {}) {
  const { body } = await live.call('POST', '/api/workers', { json: { ...device, ...more } });
  const headers = { authorization: `Bearer ${body.worker_token}` };
  return { worker: body.worker_id as string, headers };
}

let circles = 0;

/** A task of its own for one report. */
async function withTask<T>(
  use: (call: (report: Loose) => Promise<Loose>, ref: Loose, path: string) => Promise<T>,
  options: object = {},
) {
  const labels = { circle: `${circles++}` };
  const { worker, headers } = await register({ labels });
  const job = await live.submit([1], { requirements: { labels }, max_attempts: 1, ...options });
  const claimed = await eventually(
    () => live.call('POST', `/api/workers/${worker}/claim`, { json: { wait_seconds: 1 }, headers }),
    ({ body }) => body.assignments.length > 0,
  );
  const { task_id, attempt, token } = claimed.body.assignments[0];
  const report = (json: unknown) =>
    live.call('POST', `/api/workers/${worker}/report`, { json, headers });
  const answer = await use(report, { task_id, attempt, token }, `/api/jobs/${job}/tasks/0`);
  await live.call('DELETE', `/api/workers/${worker}`);
  return answer;
}

function finish(result: object): Promise<Crossing> {
  return withTask(async (report, ref, path) => {
    const { status } = await report({ results: [{ ...ref, ...result }] });
    const task = (await live.call('GET', path)).body;
    return { status, detail: task.error?.message ?? '' };
  });
}

function fail(message: string): Promise<Crossing> {
  return withTask(async (report, ref, path) => {
    const failure = { ...ref, error_type: 'Oops', error_message: message };
    const { status } = await report({ failures: [failure] });
    return { status, detail: (await live.call('GET', path)).body.error.message };
  });
}

/** Reports a failure; gives its task and what it printed. */
async function failWith(trace: Loose) {
  let body: Loose = {};
  let output: Loose = {};
  const { status } = await withTask(async (report, ref, path) => {
    const answer = await report({
      failures: [{ ...ref, error_type: 'Oops', error_message: 'no', ...trace }],
    });
    body = (await live.call('GET', path)).body;
    output = await live.call('GET', `${path}/output`);
    return { status: answer.status, detail: '' };
  });
  return { status, body, output };
}

/** What two texts of one report become on the event stream: the text of each, and what was left out before. */
async function printedLive(...texts: string[]): Promise<[string, number][]> {
  const told: [string, number][] = [];
  await withTask(
    async (report, ref) => {
      const reader = new EventReader(live.url, '?types=output');
      await reader.opened;
      const outputs = texts.map((each) => ({ ...ref, text: each }));
      const { status } = await report({ outputs });
      await eventually(
        () => Promise.resolve(reader.events.length),
        (count) => count === texts.length,
      );
      for (const { data } of reader.events) {
        const event: Loose = JSON.parse(data);
        told.push([event['text'], event['left_out']]);
      }
      await reader.cut();
      return { status, detail: '' };
    },
    { live_output: true },
  );
  return told;
}

function progress(message: string): Promise<Crossing> {
  return withTask(async (report, ref, path) => {
    const { status } = await report({ progress: [{ ...ref, progress: 0.5, message }] });
    return { status, detail: (await live.call('GET', path)).body.progress_message };
  });
}

function checkpoint(state: string): Promise<Crossing> {
  return withTask(async (report, ref) => {
    await report({ started: [ref] });
    const { status, body } = await report({
      checkpoints: [{ ...ref, sequence: 1, progress: 0.5, state }],
    });
    return { status, detail: body.rejected[0]?.detail ?? '' };
  });
}

/** To a worker that has nothing to report. */
async function reported(body: string): Promise<Crossing> {
  const { worker, headers } = await register();
  const json = { 'content-type': 'application/json' };
  const answer = await live.call('POST', `/api/workers/${worker}/report`, {
    body,
    headers: { ...headers, ...json },
  });
  await live.call('DELETE', `/api/workers/${worker}`);
  return { status: answer.status, detail: answer.body.detail ?? '' };
}

async function dial(host: string, port: number): Promise<Socket> {
  const socket = dialTo({ host, port });
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

async function lastWords(socket: WebSocket): Promise<Loose> {
  const [data] = (await once(socket, 'message')) as [Buffer];
  return JSON.parse(data.toString());
}

async function connect(url = live.url): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/workers/connect`);
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('open', resolve));
  return socket;
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
