// Under pressure new work is refused; requests that keep accepted work alive are not.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, type LiveServer, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let worker: string;
let headers: Record<string, string>;
beforeAll(async () => {
  // There is always more than one byte on the heap: from the first sample on.
  const pressure = { mostDelayMs: 0, mostHeapBytes: 1, sampleMs: 1_000 };
  live = await startLiveServer({}, undefined, {}, { pressure });
  const device = { type: 'pc', platform: 'linux' };
  const registered = await live.coordinator.pullWorkers.register({ device });
  if (!registered.ok) throw new Error(registered.rejection.detail);
  worker = registered.value.worker_id;
  headers = { authorization: `Bearer ${registered.value.worker_token}` };
  await eventually(
    async () => live.server.app.memoryUsage().heapUsed,
    (bytes) => bytes > 0,
  );
});
afterAll(() => live.close());

test('a submission is refused with 503 and the time to wait', async () => {
  const {
    status,
    headers: told,
    body,
  } = await live.call('POST', '/api/jobs', {
    json: { program, inputs: [1] },
  });
  expect([status, body.code]).toEqual([503, 'busy']);
  expect(body.detail).toBe('The coordinator is short of memory; try again in a moment.');
  expect(told.get('retry-after')).toBe('1');
  expect((await live.call('POST', '/api/workers', { json: {} })).status).toBe(503);
});

test('what people ask and order is answered', async () => {
  for (const path of ['/api/jobs', '/api/stats', '/api/workers', '/docs']) {
    expect([path, (await live.call('GET', path)).status]).toEqual([path, 200]);
  }
  expect((await live.call('POST', '/api/jobs/none/cancel')).status).toBe(404);
  expect((await live.call('POST', '/api/scheduler/activate/edas')).status).toBe(200);
});

test.each(['/healthz', '/readyz'])('%s is answered as ever', async (path) => {
  expect((await live.call('GET', path)).status).toBe(200);
});

test.each(['heartbeat', 'claim', 'report'])('the %s of a worker is taken', async (call) => {
  const json = call === 'heartbeat' ? { telemetry: {} } : {};
  const { status } = await live.call('POST', `/api/workers/${worker}/${call}`, { json, headers });
  expect(status).toBe(200);
});

test('a worker can connect', async () => {
  const socket = await live.worker(() => undefined);
  expect(socket.received[0]).toMatchObject({ type: 'welcome' });
});
