// The answers of a coordinator that stops or whose database fails; its log says so once.

import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCoordinator, type RunningCoordinator } from '../../src/coordinator/index.ts';
import { createRealRuntime } from '../../src/coordinator/real-runtime.ts';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer, type Server } from '../../src/server/server.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { StoreFault } from '../../src/store/store.ts';
import { type Gate, gated } from '../support/gated-store.ts';
import { program } from './support/live-server.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
}

let gate: Gate;
let coordinator: RunningCoordinator;
let server: Server;
let lines: Line[];
beforeEach(async () => {
  lines = [];
  const log = pino(
    { level: 'info' },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  gate = gated(openSqliteStore(':memory:'));
  coordinator = await createCoordinator({
    store: gate.store,
    runtime: createRealRuntime(),
    onError: (error) => log.error({ err: error }, 'told by the coordinator'),
  });
  server = createServer({ coordinator, limits: defaultLimits, log });
});
afterEach(async () => {
  await coordinator.stop();
  await server.close();
  await gate.store.close();
});

async function call(method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) {
  const answer = await server.app.inject({
    method,
    url,
    ...(payload === undefined ? {} : { payload }),
  });
  return { status: answer.statusCode, ...answer.json<{ code: string; detail: string }>() };
}

const errors = () => lines.filter(({ level }) => level >= pino.levels.values['warn']!);

test('while it stops every request is told to come again, and that is no failure', async () => {
  gate.shut();
  const last = call('POST', '/api/jobs', { program, inputs: [1] });
  const stopped = coordinator.stop();
  for (const [method, path] of [
    ['GET', '/api/stats'],
    ['GET', '/api/jobs'],
    ['POST', '/api/jobs'],
  ] as const) {
    expect(await call(method, path)).toMatchObject({ status: 503, code: 'shutting_down' });
  }
  gate.open();
  await Promise.all([last, stopped]);
  expect(errors()).toEqual([]);
});

test('a read that is under way when the store is closed is told the same', async () => {
  const fault = new StoreFault('store_closed', 'The store is closed.');
  gate.override({ listJobs: () => Promise.reject(fault) });
  expect(await call('GET', '/api/jobs')).toMatchObject({ status: 503, code: 'shutting_down' });
  expect(errors()).toEqual([]);
});

test('what cannot be read is no commit that was refused', async () => {
  const fault = new StoreFault('store_damaged', 'The row is damaged.');
  gate.override({ listJobs: () => Promise.reject(fault) });
  const { status, code, detail } = await call('GET', '/api/jobs');
  expect([status, code]).toEqual([500, 'store_damaged']);
  expect(detail).toContain('is damaged where this is stored');
  expect(errors()).toHaveLength(1);
});

test('a change that could not even read what it is about does not blame a commit', async () => {
  const fault = new StoreFault('store_read_failed', 'The database could not be read.');
  gate.override({ readVisitors: () => Promise.reject(fault) });
  const { status, code, detail } = await call('DELETE', '/api/jobs/j');
  expect([status, code]).toEqual([500, 'storage_failed']);
  expect(detail).toContain('could not be read from the database, so nothing was changed');
});

test.each(['GET', 'DELETE'] as const)(
  'a database whose server does not answer is waited for: %s is told to come again',
  async (method) => {
    const reject = () =>
      Promise.reject(new StoreFault('store_unreachable', 'The database could not be read.'));
    gate.override({ findJobHead: reject, readVisitors: reject });
    const { status, code, detail } = await call(method, '/api/jobs/j?tasks=false');
    expect([status, code]).toEqual([503, 'busy']);
    expect(detail).toContain('does not answer, so nothing was read or changed');
    expect(errors().filter(({ msg }) => msg === 'request failed')).toEqual([]);
  },
);

test('a request that fails in the loop is told in one line of the log', async () => {
  const fault = new StoreFault('store_damaged', 'The row is damaged.');
  gate.override({ readVisitors: () => Promise.reject(fault) });
  const { status, detail } = await call('DELETE', '/api/jobs/j');
  expect(status).toBe(500);
  expect(detail).toContain('is damaged where this is stored');
  // The coordinator's own look for jobs that were kept for long enough may meet the same fault, and tells it.
  expect(errors().filter(({ msg }) => msg === 'request failed')).toHaveLength(1);
  expect(errors().length).toBeLessThanOrEqual(2);
});
