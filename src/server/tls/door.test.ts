import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, get } from 'node:https';
import { type AddressInfo, connect as connectPlain, createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as pause } from 'node:timers/promises';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type App, createApp } from '../app.ts';
import { Callers } from '../callers.ts';
import { ServedHosts } from '../served-hosts.ts';
import { limitConnections } from '../connection-limit.ts';
import { checkCredentials, type Credentials } from './credentials.ts';
import { makeKey, signCertificate } from './self-signed.ts';

const files = { certFile: 'cert.pem', keyFile: 'key.pem' };
let app: App;
let port: number;
let change: (credentials: Credentials) => void;
let sockets: Socket[];
let ends: Promise<unknown>[];
let begun: number;
let mayBegin: boolean;

function credentialsFor(names: readonly string[]): Credentials {
  const key = makeKey();
  const cert = signCertificate(key, names, new Date());
  return checkCredentials('self-signed', { cert, key }, files, new Date());
}

beforeEach(() => start());

async function start(handshakeMs = 60_000): Promise<void> {
  const credentials = { current: credentialsFor(['localhost']), onChange: noteChange };
  function noteChange(listener: (found: Credentials) => void): void {
    change = listener;
  }
  app = createApp({
    log: pino({ level: 'silent' }),
    allowedOrigins: [],
    callers: new Callers(),
    served: new ServedHosts(false, () => false),
    credentials,
    closeMs: 50,
    handshakeMs,
    mayBegin: () => {
      begun++;
      return mayBegin;
    },
  });
  limitConnections(app, 600);
  app.get('/some', () => 'some answer');
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as AddressInfo).port;
  sockets = [];
  ends = [];
  begun = 0;
  mayBegin = true;
}

afterEach(stop);

async function stop(): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await app.close();
}

async function ask(headers: Record<string, string> = {}, agent?: Agent): Promise<string> {
  const request = get(
    { host: '127.0.0.1', port, path: '/some', rejectUnauthorized: false, headers, agent },
    () => undefined,
  );
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return `${response.statusCode} ${await text(response)}`;
}

async function handshake(options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  sockets.push(socket);
  await once(socket, 'secureConnect');
  return socket;
}

/** Connections that say no more than this. */
async function silent(count: number, bytes = ''): Promise<readonly Socket[]> {
  const opened = Array.from({ length: count }, () => connectPlain(port, '127.0.0.1'));
  for (const socket of opened) {
    // Also when it is reset.
    socket.on('error', () => undefined);
    ends.push(new Promise((resolve) => socket.once('close', resolve)));
  }
  sockets.push(...opened);
  await Promise.all(opened.map((socket) => once(socket, 'connect')));
  for (const socket of opened) socket.resume().write(bytes);
  return opened;
}

test('a request under TLS 1.3 is answered', async () => {
  expect(await ask()).toBe('200 some answer');
  expect((await handshake()).getProtocol()).toBe('TLSv1.3');
});

test('an older version of TLS is refused in the handshake', async () => {
  await expect(handshake({ maxVersion: 'TLSv1.2' })).rejects.toThrow(/protocol.version/);
});

test('plain HTTP is answered with a sentence', async () => {
  const socket = connectPlain(port, '127.0.0.1');
  sockets.push(socket);
  socket.write('POST /api/jobs HTTP/1.1\r\nHost: localhost\r\n\r\n{"so":');
  expect(await text(socket)).toMatch(
    /^HTTP\/1\.1 400 .*"This port speaks HTTPS, and this was plain HTTP: use the same address with https/s,
  );
});

test('a page of the same address is served, and one of plain HTTP there is not', async () => {
  const host = `127.0.0.1:${port}`;
  expect(await ask({ host, origin: `https://${host}` })).toBe('200 some answer');
  expect(await ask({ host, origin: `http://${host}` })).toMatch(/^403 /);
});

test('a new certificate is shown to new connections, and those that are open stay', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect(await ask({}, agent)).toBe('200 some answer');
  const [kept] = Object.values(agent.freeSockets).flatMap((all) => all ?? []);
  change(credentialsFor(['renewed.example']));
  expect(await ask({}, agent)).toBe('200 some answer');
  expect(Object.values(agent.freeSockets).flatMap((all) => all ?? [])).toEqual([kept]);
  agent.destroy();
  const certificate = (await handshake()).getPeerX509Certificate();
  expect(certificate?.subjectAltName).toBe('DNS:renewed.example');
});

test.each([
  ['say nothing', ''],
  ['begin a handshake and stop', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
])('500 connections that %s are cut off, and others are served meanwhile', async (_what, bytes) => {
  await stop();
  await start(300);
  await silent(500, bytes);
  expect(await ask()).toBe('200 some answer');
  await Promise.all(ends);
});

test('a handshake begins when the first message of the client is there as a whole', async () => {
  await silent(3, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03');
  expect(await ask()).toBe('200 some answer');
  expect(begun).toBe(1);
});

test('a first message that arrives in pieces is understood', async () => {
  const between = createServer((client) => {
    const server = connectPlain(port, '127.0.0.1');
    sockets.push(client, server);
    client.once('data', (first: Buffer) => void inPieces(client, server, first));
    server.pipe(client);
  });
  await once(between.listen(0, '127.0.0.1'), 'listening');
  const socket = connect({
    port: (between.address() as AddressInfo).port,
    host: '127.0.0.1',
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect');
  socket.write('GET /some HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toContain('some answer');
  between.close();
});

async function inPieces(client: Socket, server: Socket, first: Buffer): Promise<void> {
  for (const byte of first.subarray(0, 8)) {
    server.write(Uint8Array.of(byte));
    await pause();
  }
  server.write(first.subarray(8));
  client.pipe(server);
}

test('a handshake that may not begin is cut off', async () => {
  mayBegin = false;
  await expect(handshake()).rejects.toThrow(/ECONNRESET|disconnected/);
  expect(begun).toBe(1);
});

test('connections without a handshake count for the limit of connections', async () => {
  await silent(600);
  expect(await ask()).toMatch(/^503 .*There are 600 open connections/);
  for (const socket of sockets) socket.destroy();
  await Promise.all(ends);
  // The server may hear of it a moment later.
  await vi.waitUntil(async () => (await ask()) === '200 some answer');
});

test('a server that closes does not wait for handshakes', async () => {
  await silent(3, '\x16');
  await app.close();
  expect(await Promise.all(ends)).toHaveLength(3);
});
