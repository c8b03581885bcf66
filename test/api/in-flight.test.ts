// The memory for bodies on their way in: whoever leaves in the middle takes nothing of it along.

import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
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

function request(type: string, length: string): string {
  return (
    `POST /api/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\n` +
    `Connection: close\r\n${length}\r\n\r\n`
  );
}

/** Sends the begin of a body, waits until it has been read, and cuts the line. */
function leave(type: string, begin: string): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.on('error', () => {}).once('close', () => resolve());
    const length = `Content-Length: ${begin.length + 1000}`;
    socket.write(request(type, length) + begin, () => socket.resetAndDestroy());
  });
}
