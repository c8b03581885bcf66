// What a worker says of itself with its heartbeats, over both transports: that it rests, and for how long it may be
// silent for now.

import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { HandWorker } from './support/hand-worker.ts';
import { type LiveServer, type Loose, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeAll(async () => {
  live = await startLiveServer({}, undefined, {}, { coordinatorName: 'the office' });
});
afterAll(() => live.close());

test('a worker over HTTP that rests is shown so, is given nothing, and is named by explain', async () => {
  const labels = { case: 'rest' };
  const worker = await HandWorker.register(live, { labels });
  await worker.heartbeat({}, [], { rest: { because: 'charging' }, lease_seconds: 120 });
  const row = await worker.row();
  expect(row).toMatchObject({ status: 'online', rests_because: 'charging', lease_seconds: 120 });
  expect(Date.parse(row.rests_since)).toBeGreaterThan(0);
  const job = await live.submit([1], { requirements: { labels } });
  expect(await worker.claim()).toEqual([]);
  const { body } = await live.call('GET', `/api/jobs/${job}/tasks/0/explain`);
  const own = body.waiting.workers.find((each: Loose) => each.worker_id === worker.id);
  expect(own.reasons).toContainEqual({
    code: 'resting',
    text: 'resting: only while charging',
  });
  await worker.heartbeat({});
  expect(await worker.row()).toMatchObject({
    rests_because: null,
    rests_since: null,
    lease_seconds: 15,
  });
  expect(await worker.claim()).toHaveLength(1);
});

test.each([
  [{ rest: 'charging' }, 'rest'],
  [{ rest: { because: 'Only while charging' } }, '1 to 32 small letters and underscores'],
  [{ rest: {} }, '1 to 32 small letters and underscores'],
  [{ lease_seconds: 0 }, 'lease_seconds'],
  [{ lease_seconds: 86_401 }, 'lease_seconds'],
  [{ lease_seconds: '60' }, 'lease_seconds'],
])('a heartbeat over HTTP with %j is a 422', async (said, sentence) => {
  const worker = await HandWorker.register(live);
  await expect(worker.heartbeat({}, [], said)).rejects.toThrow(sentence);
});

const hello = {
  type: 'hello',
  protocol: 1,
  device: { type: 'pc', platform: 'linux' },
  attempts: [],
};
const beat = {
  type: 'heartbeat',
  heartbeat_id: 1,
  telemetry: {},
  assign_sequence: 0,
  running: [],
};

/** Sends the frames, and gives the first message of each answer. */
async function say(...frames: object[]): Promise<Loose[]> {
  const socket = new WebSocket(`${live.url.replace('http', 'ws')}/api/workers/connect`);
  await once(socket, 'open');
  const heard: Loose[] = [];
  for (const frame of frames) {
    socket.send(JSON.stringify(frame));
    const [data] = (await once(socket, 'message')) as [Buffer];
    heard.push(...[JSON.parse(data.toString())].flat());
  }
  socket.close();
  return heard;
}

test('a worker on a socket that rests is shown so, and hears the name of its coordinator', async () => {
  const rest = { because: 'full_moon' };
  const [welcome, ack] = await say({ ...hello, rest }, { ...beat, rest, lease_seconds: 300 });
  expect(welcome).toMatchObject({ type: 'welcome', coordinator_name: 'the office' });
  expect(welcome).not.toHaveProperty('warnings');
  expect(ack).toMatchObject({ type: 'ack', heartbeat: { heartbeat_id: 1, warnings: [] } });
  const { body } = await live.call('GET', `/api/workers/${welcome.worker_id}`);
  expect(body).toMatchObject({ rests_because: 'full_moon', lease_seconds: 300 });
});

test.each([
  ['a hello', [{ ...hello, rest: { because: 'A' } }]],
  ['a hello', [{ ...hello, rest: true }]],
  ['a heartbeat', [hello, { ...beat, rest: { because: 'a'.repeat(33) } }]],
  ['a heartbeat', [hello, { ...beat, rest: null }]],
])('%s on a socket with a rest that is none is refused in a sentence', async (_, frames) => {
  const error = (await say(...frames)).at(-1);
  expect(error).toMatchObject({ type: 'error' });
  expect(error.detail).toContain('because, 1 to 32 small letters and underscores');
});

test.each([0, 86_401, '60', null])(
  'a heartbeat on a socket with a lease of %j is refused in a sentence',
  async (lease_seconds) => {
    const error = (await say(hello, { ...beat, lease_seconds })).at(-1);
    expect(error).toMatchObject({ type: 'error' });
    expect(error.detail).toContain('lease_seconds');
  },
);
