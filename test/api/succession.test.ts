// One coordinator takes the place of another on the same store: the server and the connections to
// it stay.

import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  CoordinatorInForce,
  createCoordinator,
  type RunningCoordinator,
} from '../../src/coordinator/index.ts';
import { createRealRuntime } from '../../src/coordinator/real-runtime.ts';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer, type Server } from '../../src/server/server.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { type Store, StoreFault } from '../../src/store/store.ts';
import { runWorker } from '../../src/worker/node/run-worker.ts';
import { DoublingExecutor } from '../support/doubling-executor.ts';
import { type Gate, gated } from '../support/gated-store.ts';
import { EventReader } from './support/event-reader.ts';
import { eventually, type Loose, program } from './support/live-server.ts';
import { ScriptedWorker } from './support/scripted-worker.ts';

let disk: Store;
let gate: Gate;
let inForce: CoordinatorInForce;
let running: RunningCoordinator;
let server: Server;
let url: string;
let logged: { readonly level: number; readonly msg: string }[];
/** One connection that is kept. */
let line: Agent;
let cleanups: (() => unknown)[];

beforeEach(async () => {
  logged = [];
  cleanups = [];
  disk = openSqliteStore(':memory:');
  gate = gated(disk);
  inForce = new CoordinatorInForce();
  const log = pino({ level: 'info' }, { write: (entry: string) => logged.push(JSON.parse(entry)) });
  server = createServer({ coordinator: inForce, limits: defaultLimits, log });
  url = await server.listen({ host: '127.0.0.1', port: 0 });
  line = new Agent({ keepAlive: true, maxSockets: 1 });
  await begin();
});

afterEach(async () => {
  for (const cleanup of cleanups.toReversed()) await cleanup();
  line.destroy();
  await running.stop();
  await server.close();
  await disk.close();
  const failures = logged.filter(({ level }) => level >= pino.levels.values['error']!);
  if (failures.length > 0)
    throw new Error(`The log tells of failures: ${JSON.stringify(failures)}`);
});

async function begin(): Promise<void> {
  running = await createCoordinator({ store: gate.store, runtime: createRealRuntime() });
  inForce.enter(running);
}

async function end(): Promise<void> {
  await running.stop();
  inForce.leave(running);
}

interface Answer {
  readonly status: number;
  readonly body: Loose;
  /** Of the connection, at this side. */
  readonly port: number;
}

async function call(method: string, path: string, json?: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', connection: 'keep-alive' };
  const asked = request(`${url}${path}`, { method, agent: line, headers });
  asked.end(json === undefined ? undefined : JSON.stringify(json));
  return answerTo(asked);
}

async function answerTo(asked: ReturnType<typeof request>): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject);
  });
  const { port } = asked.socket!.address() as AddressInfo;
  return { status: response.statusCode!, body: JSON.parse(await text(response)), port };
}

async function submit(inputs: unknown): Promise<string> {
  const { status, body } = await call('POST', '/api/jobs', { program, inputs });
  expect(status).toBe(201);
  return body.id;
}

const doubled = async (): Promise<ScriptedWorker> => {
  const worker = await ScriptedWorker.connect(url, ({ input }) => ({
    value: 2 * (input as number),
  }));
  cleanups.push(() => worker.end());
  return worker;
};

const values = ({ body }: Answer) => body.map(({ value }: Loose) => value);
const resultsOf = (id: string) => call('GET', `/api/jobs/${id}/results`);
const hasEnded = async (id: string) =>
  eventually(
    () => call('GET', `/api/jobs/${id}?tasks=false`),
    ({ body }) => body.completed_at !== null,
  );

test('the same connection is told to come again meanwhile, and then has all that was committed', async () => {
  const worker = await doubled();
  const id = await submit([1, 2, 3]);
  const { port } = await hasEnded(id);
  const open = new WebSocket(`${url.replace('http', 'ws')}/api/workers/connect`);
  const tooEarly = new Promise((resolve) => open.once('close', resolve));
  await new Promise((resolve) => open.once('open', resolve));
  await end();
  expect(await worker.closed).toBe(1000);
  for (const [method, path] of [
    ['GET', '/api/stats'],
    ['GET', `/api/jobs/${id}`],
    ['POST', '/api/jobs'],
    ['DELETE', '/api/database/clear'],
  ] as const) {
    expect(await call(method, path)).toEqual({
      status: 503,
      port,
      body: {
        code: 'shutting_down',
        detail: 'The coordinator is starting; try again in a moment.',
      },
    });
  }
  expect(await call('GET', '/readyz')).toMatchObject({ status: 503, body: { status: 'starting' } });
  expect(await call('GET', '/healthz')).toMatchObject({
    status: 200,
    body: { status: 'starting' },
  });
  const device = { type: 'pc', platform: 'linux' };
  open.send(JSON.stringify([{ type: 'hello', protocol: 1, device, attempts: [] }]));
  expect(await tooEarly).toBe(1001);
  await begin();
  const results = await resultsOf(id);
  expect([results.port, values(results)]).toEqual([port, [2, 4, 6]]);
  expect(await call('GET', '/readyz')).toMatchObject({ status: 200, port });
});

test('who watches events comes to the end of the stream, and is told `reset` by the next', async () => {
  const first = new EventReader(url);
  await eventually(
    async () => first.lastEventId,
    (place) => place !== undefined,
  );
  await submit([1]);
  await eventually(
    async () => first.events,
    (events) => events.some(({ type }) => type === 'job_submitted'),
  );
  await end();
  await first.closed;
  const early = new EventReader(url, '', first.lastEventId);
  await early.closed;
  expect(early.status).toBe(503);
  await begin();
  const second = new EventReader(url, '', first.lastEventId);
  cleanups.push(() => second.cut());
  await eventually(
    async () => second.events,
    (events) => events.length > 0,
  );
  expect(second.events[0]!.type).toBe('reset');
});

test('who follows a job comes to the end of the stream, and gets the rest from the next', async () => {
  const worker = await ScriptedWorker.connect(url, ({ input }) =>
    input === 1 ? { value: 'one' } : undefined,
  );
  const id = await submit([1, 2]);
  const follow = (more: string) => fetch(`${url}/api/jobs/${id}/results?follow=true${more}`);
  const reader = (await follow('')).body!.getReader();
  let told = '';
  const readMore = async () => {
    const { done, value } = await reader.read();
    told += Buffer.from(value ?? []).toString();
    return !done;
  };
  while (!told.includes('"one"')) await readMore();
  await end();
  while (await readMore());
  expect(told.match(/"index":\d/g)).toEqual(['"index":0']);
  await worker.closed;
  await begin();
  const rest = follow('&have=0').then((response) => response.text());
  await call('POST', `/api/jobs/${id}/cancel`);
  expect((await rest).match(/"index":\d/g)).toEqual(['"index":1']);
});

test('a worker comes back by itself with the attempt that it runs', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'muster-succession-'));
  const executor = new DoublingExecutor(false);
  const worker = runWorker({
    url,
    stateDir,
    slots: 1,
    createExecutor: (slots, listener) => executor.open(slots, listener),
    telemetry: () => ({}),
    tuning: { reconnectMinMs: 10, reconnectMaxMs: 50 },
  });
  cleanups.push(async () => {
    for (let i = 0; i < 3; i++) worker.stop();
    await worker.done;
    rmSync(stateDir, { recursive: true });
  });
  const id = await submit([21]);
  await executor.hasBegun;
  await end();
  executor.proceed();
  await begin();
  await hasEnded(id);
  expect(values(await resultsOf(id))).toEqual([42]);
  const { body } = await call('GET', `/api/jobs/${id}/tasks/0`);
  expect([body.status, body.attempt]).toEqual(['completed', 1]);
});

test('inputs that still stream in are refused as a whole, and may be sent to the next', async () => {
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'once' };
  const head = `${JSON.stringify({ program })}\n`;
  const some = '1\n'.repeat(5000);
  const isStaged = new Promise<void>((resolve) => {
    const stageInputs: Store['stageInputs'] = async (...given) => {
      const answer = await disk.stageInputs(...given);
      resolve();
      return answer;
    };
    gate.override({ stageInputs });
  });
  const half = request(`${url}/api/jobs`, { method: 'POST', headers });
  const refused = answerTo(half);
  half.write(head + some);
  await isStaged;
  await end();
  await begin();
  half.end(some);
  expect(await refused).toMatchObject({ status: 503, body: { code: 'shutting_down' } });
  expect((await call('GET', '/api/jobs')).body).toEqual([]);
  const whole = request(`${url}/api/jobs`, { method: 'POST', headers });
  whole.end(head + some + some);
  expect(await answerTo(whole)).toMatchObject({ status: 201, body: { task_count: 10_000 } });
});

test('a job whose commit is under way is answered, and there for the next', async () => {
  let goOn = () => {};
  const isUnderWay = new Promise<void>((resolve) => {
    const commit: Store['commit'] = async (batch, at) => {
      if (batch.jobs.length === 0) return disk.commit(batch, at);
      const opened = new Promise<void>((open) => {
        goOn = open;
      });
      resolve();
      await opened;
      return disk.commit(batch, at);
    };
    gate.override({ commit });
  });
  const submitted = submit([1]);
  await isUnderWay;
  gate.override({ commit: (batch, at) => disk.commit(batch, at) });
  const ended = end();
  const meanwhile = await fetch(`${url}/api/jobs`);
  expect(meanwhile.status).toBe(503);
  expect(await meanwhile.json()).toMatchObject({
    detail: 'The coordinator is stopping; try again in a moment.',
  });
  goOn();
  const id = await submitted;
  await ended;
  await begin();
  expect((await call('GET', `/api/jobs/${id}`)).status).toBe(200);
});

test('the place of one that has failed is taken as well, and again', async () => {
  const id = await submit([1]);
  const fault = new StoreFault('store_full', 'No space is left on the disk.');
  gate.override({ commit: () => Promise.reject(fault) });
  expect(await call('POST', '/api/jobs', { program, inputs: [2] })).toMatchObject({
    status: 500,
    body: {
      code: 'storage_failed',
      detail:
        'The disk of the coordinator is full; nothing of this request was kept. ' +
        'Free some space there, then try again.',
    },
  });
  expect(await running.failed).toBe(fault);
  expect((await call('GET', '/healthz')).status).toBe(503);
  expect(logged.splice(0).map(({ msg }) => msg)).toContain('request failed');
  gate.override({ commit: (batch, at) => disk.commit(batch, at) });
  for (let count = 1; count <= 2; count++) {
    await end();
    await begin();
    expect((await call('GET', '/healthz')).status).toBe(200);
    expect((await call('GET', '/api/jobs')).body).toHaveLength(count);
    await submit([3]);
  }
  expect((await call('GET', `/api/jobs/${id}`)).status).toBe(200);
});
