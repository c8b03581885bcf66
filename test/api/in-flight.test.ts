// The memory for incoming bodies and frames: a client that leaves in the middle gives its part back.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, type LiveServer, program, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let port: number;
beforeAll(async () => {
  live = await startLiveServer({ inFlightBytes: 400_000 });
  port = Number(new URL(live.url).port);
});
afterAll(() => live.close());

test.each([
  ['of JSON', 'application/json', '{"inputs":["', 'x'],
  ['of lines', 'application/x-ndjson', `${JSON.stringify({ program })}\n"`, 'x'],
])(
  'a client that leaves in a body %s gives back what it held',
  async (_what, type, head, filler) => {
    for (let i = 0; i < 3; i++) await leave(type, head + filler.repeat(250_000));
    const json = { program, inputs: ['x'.repeat(300_000)] };
    const job = () => live.call('POST', '/api/jobs', { json });
    const { status } = await eventually(job, (answer) => answer.status !== 503);
    expect(status).toBe(201);
  },
);

test('lines of an upload that are read and not stored yet count', async () => {
  const line = `"${'x'.repeat(10_000)}"\n`;
  const sockets = await Promise.all(
    Array.from({ length: 4 }, () =>
      beginUpload(`${JSON.stringify({ program })}\n${line.repeat(20)}`),
    ),
  );
  const others = () =>
    live.call('POST', '/api/jobs', { json: { program, inputs: ['x'.repeat(150_000)] } });
  await eventually(others, ({ status }) => status === 503);
  for (const socket of sockets) socket.destroy();
  const { status } = await eventually(others, (answer) => answer.status !== 503);
  expect(status).toBe(201);
});

test('workers that have done nothing yet cannot fill what is kept for those that have', async () => {
  const proven = await live.worker(() => ({ value: 1 }));
  const job = await live.submit([1]);
  await eventually(
    () => live.call('GET', `/api/jobs/${job}?tasks=false`),
    ({ body }) => body.status === 'completed',
  );
  const newcomers = await Promise.all(Array.from({ length: 5 }, () => beginFrame(200_000)));
  const others = () => live.call('POST', '/api/jobs', { json: { inputs: ['x'.repeat(150_000)] } });
  await eventually(others, ({ status }) => status === 503);
  const about = { type: 'heartbeat', heartbeat_id: 77, assign_sequence: 1, running: [] };
  proven.sayText(JSON.stringify({ ...about, telemetry: { x: 'x'.repeat(150_000) } }));
  const acks = () =>
    proven.received.filter((each) => each.type === 'ack' && each.heartbeat?.heartbeat_id === 77);
  const taken = await eventually(
    async () => acks(),
    (found) => found.length > 0,
  );
  expect(taken).toHaveLength(1);
  for (const newcomer of newcomers) newcomer.terminate();
});

test('workers that stop in the middle of a long frame give back what they held', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const newcomers = await Promise.all(Array.from({ length: 3 }, () => beginFrame(200_000)));
  const closed = Promise.race(newcomers.map((each) => once(each, 'close')));
  const others = () => live.call('POST', '/api/jobs', { json: { inputs: ['x'.repeat(150_000)] } });
  await eventually(others, ({ status }) => status === 503);
  vi.advanceTimersByTime(120_000);
  vi.useRealTimers();
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([1008, 'A frame arrives too slowly.']);
  await eventually(others, ({ status }) => status !== 503);
  for (const newcomer of newcomers) newcomer.terminate();
});

test('calls with a token that is not right cannot fill what is kept for workers', async () => {
  const device = { type: 'pc', platform: 'linux', labels: { pull: 'yes' } };
  const { body: proven } = await live.call('POST', '/api/workers', { json: device });
  const calls = `/api/workers/${proven.worker_id}`;
  const ask = (what: string, json: object) =>
    live.call('POST', `${calls}/${what}`, {
      json,
      headers: { authorization: `Bearer ${proven.worker_token}` },
    });
  await live.submit([1], { requirements: { labels: { pull: 'yes' } } });
  const { body } = await ask('claim', { wait_seconds: 20 });
  const { task_id, attempt, token } = body.assignments[0];
  await ask('report', { results: [{ task_id, attempt, token, value: 1 }] });

  const outsiders = Array.from({ length: 8 }, () => beginReport(calls, 125_000));
  // Of eight at most six find room at all: by then the rest has it.
  await eventually(
    async () => outsiders.filter(({ refused }) => refused).length,
    (count) => count >= 2,
  );
  const padding = 'x'.repeat(150_000);
  expect(await ask('heartbeat', { telemetry: { padding } })).toMatchObject({ status: 200 });
  for (const { socket } of outsiders) socket.destroy();
});

/** A call with a made-up token, of whose body the end does not come. */
function beginReport(calls: string, bytes: number) {
  const socket = connect(port, '127.0.0.1');
  const outsider = { socket, refused: false };
  socket
    .on('error', () => {})
    .on('data', (answer) => {
      outsider.refused ||= answer.includes(' 503 ');
    });
  socket.write(
    `POST ${calls}/report HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `Authorization: Bearer made-up\r\nContent-Length: ${bytes + 1000}\r\n\r\n${' '.repeat(bytes)}`,
  );
  return outsider;
}

/** The socket of a new worker, with a frame of which the end does not come. */
async function beginFrame(bytes: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/workers/connect`);
  socket.on('error', () => {});
  await once(socket, 'open');
  const device = { type: 'pc', platform: 'linux', labels: { newcomer: 'yes' } };
  socket.send(JSON.stringify({ type: 'hello', protocol: 1, device, attempts: [] }));
  await once(socket, 'message');
  socket.send('x'.repeat(bytes), { fin: false });
  return socket;
}

function request(type: string, length: string): string {
  return (
    `POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n` +
    `Connection: close\r\n${length}\r\n\r\n`
  );
}

/** Sends the begin of a body, waits until it has been read, and cuts the line. */
/** Sends whole lines, and leaves the upload open. */
async function beginUpload(lines: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  const length = `Content-Length: ${lines.length + 1000}`;
  socket.write(request('application/x-ndjson', length) + lines);
  return socket;
}

function leave(type: string, begin: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.on('error', () => {}).once('close', () => resolve());
    const length = `Content-Length: ${begin.length + 1000}`;
    socket.write(request(type, length) + begin, () => socket.resetAndDestroy());
  });
}
