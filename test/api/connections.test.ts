// How many connections may be open is counted by what was checked: a worker by its token, everybody
// else by address. A token that nobody has checked is worth nothing.

import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { eventually, type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
beforeEach(async () => {
  live = await startLiveServer({ connectionsPerToken: 3 });
});
afterEach(() => live.close());

const path = '/api/workers/connect';

test('made-up tokens open no more streams than none at all', async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 9; i++) statuses.push(await stream({ authorization: `Bearer made-up-${i}` }));
  expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429, 429]);
  expect(await stream({})).toBe(429);
});

test('made-up tokens open no more sockets', async () => {
  const sockets = [];
  for (let i = 0; i < 3; i++) sockets.push(await open({ authorization: `Bearer made-up-${i}` }));
  const refused = await open({ authorization: 'Bearer another' });
  expect(await closeCode(refused)).toBe(1013);
  for (const socket of sockets) expect(socket.readyState).toBe(WebSocket.OPEN);
});

test('a socket counts for its worker once its hello was accepted', async () => {
  for (let i = 0; i < 7; i++) await live.worker(() => undefined);
  // None of the seven counts for this address any more.
  expect([await stream({}), await stream({}), await stream({})]).toEqual([200, 200, 200]);
  expect(await closeCode(await open({}))).toBe(1013);
});

test('a hello that is refused stays on the account of its address', async () => {
  const socket = await open({});
  const told = new Promise((resolve) =>
    socket.once('message', (data) => resolve((data as Buffer).toString())),
  );
  const device = { type: 'pc', platform: 'linux' };
  const identity = { worker_id: 'w', worker_token: 'made-up' };
  socket.send(JSON.stringify({ type: 'hello', protocol: 1, ...identity, device, attempts: [] }));
  expect(await told).toContain('deregistered');
  await closeCode(socket);
  // It has left, and with it its place.
  for (let i = 0; i < 3; i++)
    await eventually(
      () => stream({}),
      (status) => status === 200,
    );
  expect(await stream({})).toBe(429);
});

/** The status of `GET /api/events`, which stays open when it is 200. */
function stream(headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${live.url}/api/events`, { headers, agent: false }, (response) => {
      response.on('error', () => {}).resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end();
  });
}

async function open(headers: Record<string, string>): Promise<WebSocket> {
  const socket = new WebSocket(`${live.url.replace('http', 'ws')}${path}`, { headers });
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('open', resolve));
  return socket;
}

function closeCode(socket: WebSocket): Promise<number> {
  return new Promise((resolve) => socket.once('close', resolve));
}
