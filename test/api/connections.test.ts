// Open connections are counted for a worker by its checked token, for everybody else by address. A token
// that was not checked has no effect.

import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type Gate, gated } from '../support/gated-store.ts';
import { eventually, type LiveServer, startLiveServer } from './support/live-server.ts';

let live: LiveServer;
let store: Store;
let gate: Gate;
beforeEach(async () => {
  store = openSqliteStore(':memory:');
  gate = gated(store);
  live = await startLiveServer({ connectionsPerToken: 3 }, gate.store);
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
  // The seven sockets no longer count for this address.
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
  // The client has left, so its place is free.
  for (let i = 0; i < 3; i++)
    await eventually(
      () => stream({}),
      (status) => status === 200,
    );
  expect(await stream({})).toBe(429);
});

test.each(['/api/events?job_id=', '/api/jobs/{id}/results?follow=true', '/api/jobs/{id}/results'])(
  'a reader of %s that leaves while a commit is awaited has no place',
  async (what) => {
    const id = await live.submit([1]);
    const isCommitting = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    gate.override({
      commit: async (batch, at) => {
        isCommitting.resolve();
        await mayCommit.promise;
        return store.commit(batch, at);
      },
    });
    const waiting = live.submit([2]);
    await isCommitting.promise;
    for (let i = 0; i < 3; i++)
      await askAndLeave(what.endsWith('=') ? what + id : what.replace('{id}', id));
    mayCommit.resolve();
    await waiting;
    await live.call('GET', '/api/stats');
    expect([await stream({}), await stream({}), await stream({})]).toEqual([200, 200, 200]);
    expect(await stream({})).toBe(429);
  },
);

/** Resolves when the server has seen both: that it was asked, and that the client has gone. */
async function askAndLeave(target: string): Promise<void> {
  const { port, hostname } = new URL(live.url);
  const gone = new Promise<unknown>((resolve) => {
    const look = ({ url, socket: served }: IncomingMessage) => {
      // A socket that was never asked for its address has none when it is closed.
      if (url !== target || served.remoteAddress === undefined) return;
      live.server.app.server.off('request', look);
      served.once('close', resolve);
      socket.resetAndDestroy();
    };
    live.server.app.server.on('request', look);
  });
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await gone;
}

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
