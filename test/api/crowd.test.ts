// While too much waits at the coordinator, new work is refused and leaves nothing behind, and the
// sockets of workers are not read. In the end every message and request is decided.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { type Gate, gated } from '../support/gated-store.ts';
import { eventually, type LiveServer, program, startLiveServer } from './support/live-server.ts';

let gate: Gate;
let live: LiveServer;
let worker: string;
let headers: Record<string, string>;
beforeAll(async () => {
  gate = gated(openSqliteStore(':memory:'));
  const inboxMarks = { commands: 10, bytes: 1_000_000 };
  live = await startLiveServer({}, gate.store, {}, { inboxMarks });
  const device = { type: 'pc', platform: 'linux' };
  const registered = await live.coordinator.pullWorkers.register({ device });
  if (!registered.ok) throw new Error(registered.rejection.detail);
  worker = registered.value.worker_id;
  headers = { authorization: `Bearer ${registered.value.worker_token}` };
});
afterAll(() => live.close());

/** A commit that does not end, and eleven orders behind it; what ends it waits for the orders. */
async function crowd(): Promise<() => Promise<void>> {
  const order = () => live.coordinator.scheduler.configure({ algorithm: 'fifo' });
  gate.shut();
  const orders = [order()];
  await new Promise(setImmediate);
  for (let i = 0; i < 11; i++) orders.push(order());
  expect(live.coordinator.isCrowded).toBe(true);
  return async () => {
    gate.open();
    await Promise.all(orders);
    await live.coordinator.eased();
  };
}

test('what brings work is refused with 503 and the time to wait, and may come again', async () => {
  const job = { json: { program, inputs: [1] }, headers: { 'idempotency-key': 'k' } };
  const ease = await crowd();
  const refused = await live.call('POST', '/api/jobs', job);
  expect([refused.status, refused.body.code]).toEqual([503, 'busy']);
  expect(refused.body.detail).toBe('Too much waits to be decided; try again in a moment.');
  expect(refused.headers.get('retry-after')).toBe('1');
  const lines = { 'content-type': 'application/x-ndjson' };
  const body = `${JSON.stringify({ program })}\n1\n`;
  expect((await live.call('POST', '/api/jobs', { body, headers: lines })).status).toBe(503);
  expect((await live.call('POST', '/api/workers', { json: {} })).status).toBe(503);
  expect((await live.call('POST', '/api/jobs/none/retry')).status).toBe(503);
  await ease();
  expect((await live.call('GET', '/api/jobs')).body).toEqual([]);
  const taken = await live.call('POST', '/api/jobs', job);
  const again = await live.call('POST', '/api/jobs', job);
  expect([taken.status, again.body.id]).toEqual([201, taken.body.id]);
  expect((await live.call('GET', '/api/jobs')).body).toHaveLength(1);
});

test('what workers and people say is taken, and answered when its turn comes', async () => {
  const id = await live.submit([1], { requirements: { platform: ['nowhere'] } });
  const ease = await crowd();
  const calls = ['heartbeat', 'claim', 'report'].map((call) => {
    const json = call === 'heartbeat' ? { telemetry: {} } : {};
    return live.call('POST', `/api/workers/${worker}/${call}`, { json, headers });
  });
  const cancelled = live.call('POST', `/api/jobs/${id}/cancel`);
  expect((await live.call('GET', '/healthz')).status).toBe(200);
  await ease();
  const statuses = (await Promise.all([...calls, cancelled])).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 200, 200]);
});

test('nothing more is read from the socket of a worker, and nothing of it is lost', async () => {
  const { sessions } = live.coordinator;
  const open = sessions.open.bind(sessions);
  let read = 0;
  sessions.open = (sink) => {
    const session = open(sink);
    const receive = session.receive.bind(session);
    session.receive = (messages, bytes) => {
      read++;
      receive(messages, bytes);
    };
    return session;
  };
  const talker = await live.worker(() => undefined);
  const ease = await crowd();
  const before = read;
  const frames = 20;
  for (let i = 0; i < frames; i++) {
    // Long enough that they do not arrive all at once.
    const beat = {
      type: 'heartbeat',
      heartbeat_id: 1000 + i,
      telemetry: { x: 'x'.repeat(200_000) },
    };
    talker.sayText(JSON.stringify({ ...beat, assign_sequence: 0, running: [] }));
  }
  // One is taken, and the next are not. Other requests are read meanwhile.
  await eventually(
    async () => read,
    (count) => count > before,
  );
  for (let i = 0; i < 20; i++) await live.call('GET', '/healthz');
  expect(read).toBe(before + 1);
  await ease();
  const answered = () =>
    talker.received.flatMap((message) => {
      const id = message.type === 'ack' ? (message.heartbeat?.heartbeat_id ?? 0) : 0;
      return id >= 1000 ? [id] : [];
    });
  await eventually(
    async () => answered().length,
    (count) => count === frames,
  );
  expect(answered()).toEqual(Array.from({ length: frames }, (_, i) => 1000 + i));
});
