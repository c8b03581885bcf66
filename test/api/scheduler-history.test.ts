// Who configured the scheduler, and how it was configured before. Every answer is held against the published
// document by `call`.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { createCoordinator } from '../../src/coordinator/index.ts';
import { createRealRuntime } from '../../src/coordinator/real-runtime.ts';
import { createMemoryDisk } from '../../src/store/memory/memory-disk.ts';
import { createMemoryStore } from '../../src/store/memory/memory-store.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

const disk = createMemoryDisk();
let live: LiveServer;
beforeEach(async () => {
  live = await startLiveServer({}, createMemoryStore(disk));
  return () => live.close();
});

/** With tokens, on another disk. */
let guarded: LiveServer;
const tokens = { admin: '', labelled: '', client: '', viewer: '' };
beforeAll(async () => {
  guarded = await startLiveServer();
  const make = async (kind: 'admin' | 'client' | 'viewer', more: object = {}) => {
    const made = await guarded.coordinator.tokens.create({ kind, ...more });
    if (!made.ok) throw new Error(made.rejection.detail);
    return made.value.token;
  };
  tokens.admin = await make('admin');
  tokens.labelled = await make('admin', { label: 'laptop of Ann' });
  tokens.client = await make('client', { owner: 'bob' });
  tokens.viewer = await make('viewer');
});
afterAll(() => guarded.close());

const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function algorithms(query = ''): Promise<Loose> {
  const { status, body } = await live.call('GET', `/api/scheduler/history${query}`);
  return status === 200 ? body.map(({ algorithm }: Loose) => algorithm) : [status, body.detail];
}

test('lists what was set, newest first, over restarts and when the database is cleared', async () => {
  expect(await algorithms()).toEqual(['fifo']);
  const { body: first } = await live.call('GET', '/api/scheduler/config');
  await live.call('POST', '/api/scheduler/activate/edas');
  const json = { algorithm: 'aras', weights: { cpu: 0.7, energy: 1 } };
  const { body: set } = await live.call('PUT', '/api/scheduler/config', { json });
  await live.close();
  live = await startLiveServer({}, createMemoryStore(disk));
  await live.call('DELETE', '/api/database/clear');
  const { body } = await live.call('GET', '/api/scheduler/history');
  expect(body).toEqual([
    {
      at: set.updated_at,
      algorithm: 'aras',
      weighting: 'manual',
      weights: {
        cpu: 0.7,
        memory: 0.2,
        throughput: 0.2,
        failure_rate: 0.2,
        latency: 0.2,
        energy: 1,
      },
      by: null,
    },
    expect.objectContaining({ algorithm: 'edas', by: null }),
    expect.objectContaining({ algorithm: 'fifo', at: first.updated_at, by: null }),
  ]);
  expect(await algorithms('?limit=1')).toEqual(['aras']);
});

test('what was in force begins with the first start, whose own option may set it', async () => {
  const fresh = createMemoryDisk();
  const told = async (algorithm?: 'edas' | 'wrr' | 'mabac') => {
    const coordinator = await createCoordinator({
      store: createMemoryStore(fresh),
      runtime: createRealRuntime(),
      ...(algorithm && { algorithm }),
    });
    const history = await coordinator.scheduler.history(9);
    await coordinator.stop();
    return history.map((entry) => entry.algorithm);
  };
  expect(await told('edas')).toEqual(['edas']);
  expect(await told('wrr')).toEqual(['wrr', 'edas']);
  expect(await told()).toEqual(['wrr', 'edas']);
  // Of a database of before, in which the first one was not noted.
  fresh.schedulerChanges = [];
  expect(await told()).toEqual(['wrr']);
  expect(await told('mabac')).toEqual(['mabac', 'wrr']);
});

test('what is refused or only previewed is not in it', async () => {
  const before = await algorithms();
  await live.call('POST', '/api/scheduler/preview', { json: { algorithm: 'wrr' } });
  await live.call('PUT', '/api/scheduler/config', { json: { algorithm: 'nonsense' } });
  expect(await algorithms()).toEqual(before);
});

test('two that are set at the same time are both in it', async () => {
  const { scheduler } = live.coordinator;
  await Promise.all([
    scheduler.configure({ algorithm: 'fifo' }),
    scheduler.configure({ algorithm: 'mabac' }),
  ]);
  expect(await algorithms('?limit=2')).toEqual(['mabac', 'fifo']);
});

test('its limit is a whole number from 1 to 1000', async () => {
  for (const limit of ['0', '1001', 'x', '1.5']) {
    const [status, detail] = await algorithms(`?limit=${limit}`);
    expect([status, detail]).toEqual([422, expect.stringContaining('from 1 to 1000')]);
  }
});

test('`by` is the label of the token, or its owner, and null where nobody is asked for one', async () => {
  const set = async (token: string, algorithm: string) => {
    const path = `/api/scheduler/activate/${algorithm}`;
    const { status, body } = await guarded.call('POST', path, as(token));
    return status === 200 ? body.by : status;
  };
  expect(await set(tokens.admin, 'edas')).toBe('admin');
  expect(await set(tokens.labelled, 'wrr')).toBe('laptop of Ann');
  expect(await set(tokens.client, 'fifo')).toBe(403);
  const told = async (token: string) => {
    const { body: config } = await guarded.call('GET', '/api/scheduler/config', as(token));
    const { body: past } = await guarded.call('GET', '/api/scheduler/history', as(token));
    return [config.by, past.slice(0, -1).map(({ by }: Loose) => by)];
  };
  const all = ['laptop of Ann', ['laptop of Ann', 'admin']];
  expect(await told(tokens.admin)).toEqual(all);
  expect(await told(tokens.viewer)).toEqual(all);
  // The labels of the admin's tokens are the admin's.
  expect(await told(tokens.client)).toEqual([null, [null, null]]);
  const { body } = await live.call('POST', '/api/scheduler/activate/edas');
  expect(body.by).toBeNull();
});

test('the SDK lists it', async () => {
  const { scheduler } = connect(guarded.url, { token: tokens.labelled });
  await scheduler.configure({ algorithm: 'priority' });
  const [newest, ...rest] = await scheduler.history({ limit: 1 });
  expect(newest).toMatchObject({ algorithm: 'priority', by: 'laptop of Ann' });
  expect(rest).toEqual([]);
  expect((await scheduler.config()).updated_at).toBe(newest!.at);
});
