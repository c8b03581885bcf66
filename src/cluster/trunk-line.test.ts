// A trunk to a leader that a test plays: what is told of each way in which it can go.

import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { readGreeting, type TrunkGreeting } from './trunk.ts';
import { TrunkDialer } from './trunk-dialer.ts';
import { type MetMember, TrunkLine } from './trunk-line.ts';

let server: Server;
let port: number;
let sockets: WebSocketServer;
let connections: Set<Duplex>;
let asked: {
  readonly authorization: string | undefined;
  readonly greeting: TrunkGreeting | null;
}[];
let says: object | null;
let told: (string | MetMember)[];
let line: TrunkLine | undefined;

const leading = { trunk: 1, term: 'term-1', member: 'one', version: '1.0.0', role: 'leading' };

beforeEach(async () => {
  [connections, asked, told, says] = [new Set(), [], [], leading];
  sockets = new WebSocketServer({ noServer: true });
  sockets.on('connection', (socket: WebSocket, request) => {
    if (says !== null) socket.send(JSON.stringify(says));
    socket.once('message', (data) => {
      const { authorization } = request.headers;
      asked.push({ authorization, greeting: readGreeting((data as Buffer).toString()) });
    });
  });
  server = createServer((_request, response) => response.writeHead(404).end());
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) =>
      sockets.emit('connection', opened, request),
    ),
  );
  await listen(0);
});
afterEach(() => {
  line?.close();
  hangUp();
});

async function listen(at: number): Promise<void> {
  server.listen(at, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
}

function hangUp(): void {
  server.close();
  for (const socket of connections) socket.destroy();
}

function begin(pingMs = 1_000): void {
  const url = `http://127.0.0.1:${port}`;
  line = new TrunkLine({
    place: { url, term: 'term-1', member: 'one' },
    dialer: new TrunkDialer(url, 'secret'),
    member: 'two',
    version: '1.0.0',
    onOpen: () => told.push('open'),
    onReset: () => told.push('reset'),
    onRefused: () => told.push('refused'),
    onUndecided: (reason) => told.push(reason),
    onMeets: (other) => told.push(other),
    retryMs: 30,
    pingMs,
  });
}

test('it says who it is and for whom it asks, and is told that it is open', async () => {
  begin();
  await expect.poll(() => told).toEqual(['open']);
  expect(line!.isOpen).toBe(true);
  await expect
    .poll(() => asked)
    .toEqual([
      {
        authorization: 'Bearer secret',
        greeting: { trunk: 1, term: 'term-1', member: 'two', version: '1.0.0' },
      },
    ]);
});

test('one that breaks is reset, and opened again', async () => {
  begin();
  await expect.poll(() => told).toEqual(['open']);
  for (const socket of connections) socket.destroy();
  await expect.poll(() => told).toEqual(['open', 'reset', 'open']);
});

test('a leader that dies is reset once, and refused at every try', async () => {
  begin();
  await expect.poll(() => told).toEqual(['open']);
  hangUp();
  await expect.poll(() => told.length).toBeGreaterThan(3);
  expect(told.slice(0, 4)).toEqual(['open', 'reset', 'refused', 'refused']);
  expect(line!.isOpen).toBe(false);
  await listen(port);
  await expect.poll(() => told.at(-1)).toBe('open');
});

test.each([
  ['another member', { ...leading, member: 'three' }],
  ['one that leads no more', { ...leading, term: null, role: 'following' }],
  ['one that leads another term', { ...leading, term: 'term-2' }],
])('%s at its address is met, and refuses', async (_who, greeting) => {
  says = greeting;
  begin();
  await expect.poll(() => told.length).toBeGreaterThan(1);
  const { member, term, role } = greeting;
  expect(told.slice(0, 2)).toEqual([{ member, term, role }, 'refused']);
});

test('a leader that falls silent is not reset: nobody knows', async () => {
  begin(20);
  await expect.poll(() => told).toEqual(['open']);
  for (const socket of connections) socket.pause();
  await expect.poll(() => told[1]).toMatch(/^The leader at ws:.*: it fell silent\.$/);
});

test('what is no member leaves it undecided', async () => {
  says = { hello: 1 };
  begin();
  await expect.poll(() => told[0]).toMatch(/without a greeting/);
  sockets.shouldHandle = () => false;
  await expect
    .poll(() => told.at(-1))
    .toMatch(/what answers there is no coordinator \(status 400\)/);
  expect(line!.trouble).toBe('what answers there is no coordinator (status 400)');
});

test('nothing is told of one that was closed', async () => {
  begin();
  await expect.poll(() => told).toEqual(['open']);
  line!.close();
  await expect.poll(() => connections.size).toBe(0);
  expect(told).toEqual(['open']);
});
