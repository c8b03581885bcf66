// What is counted of a socket while its frames arrive, in the pieces that a sender chooses.

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { InFlight } from '../in-flight.ts';
import { IncomingFrames } from './incoming-frames.ts';

const free = 64 * 1024;

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
afterEach(() => server.close());

test('counts the bytes of a frame, and nothing of its fragments or of pings between them', async () => {
  let most = 0;
  let now = 0;
  const frames: number[] = [];
  const budget = new InFlight(8 * free);
  server.once('connection', (socket: WebSocket, request: { socket: Socket }) => {
    const incoming = new IncomingFrames(socket, request.socket, budget, {
      arriving: (bytes) => {
        now = bytes;
        most = Math.max(most, bytes);
      },
      take: (frame) => void frames.push(frame.length),
      binary: () => undefined,
      starved: () => undefined,
      slow: () => undefined,
      ended: () => undefined,
    });
    incoming.trust();
  });
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(client, 'open');

  // A head for each byte makes seven of it on the way.
  for (let i = 0; i < 20; i++) await send(client, 10_000, 1);
  expect(frames).toEqual(Array(20).fill(10_000));
  expect(most).toBeLessThan(free + 70_000);

  client.send('x'.repeat(3 * free), { fin: false });
  for (let i = 0; i < 500; i++) await ping(client);
  expect(now).toBeGreaterThan(3 * free);
  client.terminate();
});

/** Resolves when all of it has been read. */
async function send(client: WebSocket, bytes: number, fragment: number): Promise<void> {
  for (let i = fragment; i < bytes; i += fragment)
    client.send('x'.repeat(fragment), { fin: false });
  client.send('x'.repeat(fragment), { fin: true });
  await ping(client);
}

/** Twenty empty ones, and one whose answer tells that they were read. */
function ping(client: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const hear = (data: Buffer) => {
      if (data.toString() !== 'last') return;
      client.off('pong', hear);
      resolve();
    };
    client.on('pong', hear);
    for (let i = 0; i < 20; i++) client.ping();
    client.ping('last');
  });
}
