import { once } from 'node:events';
import { createServer as createHttps, type Server } from 'node:https';
import https from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import stream from 'node:stream';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { anotherPinThan, testCertificate } from '../../test/support/test-certificate.ts';
import { findNodeModules } from './node-modules.ts';
import { meetPin } from './pinned-connection.ts';
import { createPinnedFetch, type PinnedFetch } from './pinned-fetch.ts';

// For another host: with a pin that does not matter.
const { cert, key, pin } = testCertificate(['elsewhere.example']);
const otherPin = anotherPinThan(pin);

let server: Server;
let url: string;
let connections: Socket[];
let ends: Promise<unknown>[];
/** What each connection has decrypted. */
let received: string;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
let pinned: PinnedFetch;

beforeEach(async () => {
  [connections, ends, received] = [[], [], ''];
  answer = (_request, response) => response.end('hello');
  server = createHttps({ key, cert, minVersion: 'TLSv1.3' }, (request, response) => {
    void answer(request, response);
  });
  server.on('connection', (socket) => {
    ends.push(new Promise((resolve) => socket.once('close', resolve)));
  });
  server.on('secureConnection', (socket) => {
    connections.push(socket);
    socket.on('data', (bytes) => {
      received += bytes.toString();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  pinned = createPinnedFetch(pin);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

test('the modules of Node have the types that are used of them', () => {
  expect(findNodeModules()).toMatchObject({ tls, https, stream });
});

test('a request is answered as by fetch', async () => {
  answer = async (request, response) => {
    const body = await text(request);
    response.setHeader('x-some', ['a', 'b']);
    response
      .writeHead(201)
      .end(`${request.method} ${request.url} ${request.headers['x-own']} ${body}`);
  };
  const headers = { 'x-own': 'mine' };
  const response = await pinned(`${url}/p?q=1`, { method: 'PUT', headers, body: 'bytes' });
  expect([response.status, response.ok, response.headers.get('x-some')]).toEqual([
    201,
    true,
    'a, b',
  ]);
  expect(await response.text()).toBe('PUT /p?q=1 mine bytes');
});

test.each(['999 X', '200 \u0001'])(
  'an answer that there cannot be (%j) ends the request, not the process',
  async (status) => {
    answer = (request) => request.socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
    await expect(pinned(url)).rejects.toThrow(/status/i);
  },
);

test('bodies of every kind are sent', async () => {
  answer = async (request, response) => response.end(await text(request));
  const large = 'x'.repeat(300_000);
  const pieces = new ReadableStream({
    start(controller) {
      for (const part of [large, large]) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  const send = async (body: RequestInit['body']) =>
    (await pinned(url, { method: 'POST', body: body ?? null })).text();
  expect(await send(new TextEncoder().encode('bytes'))).toBe('bytes');
  expect(await send(new Blob(['a', 'blob']))).toBe('ablob');
  expect(await send(pieces)).toBe(large + large);
  expect(await send(null)).toBe('');
});

test('a fault in a body that is made while it is sent rejects with that fault', async () => {
  const body = new ReadableStream({ pull: () => Promise.reject(new Error('no inputs')) });
  await expect(pinned(url, { method: 'POST', body })).rejects.toThrow('no inputs');
});

test('an answer without a body is one', async () => {
  answer = (_request, response) => response.writeHead(204).end();
  const response = await pinned(url);
  expect([response.status, response.body]).toEqual([204, null]);
  expect(await (await pinned(url)).text()).toBe('');
});

test('one connection serves requests that follow each other', async () => {
  for (let i = 0; i < 5; i++) await (await pinned(url)).text();
  expect(connections).toHaveLength(1);
});

test('a kept connection that was closed meanwhile costs nothing', async () => {
  await (await pinned(url)).text();
  server.closeAllConnections();
  expect(await (await pinned(url)).text()).toBe('hello');
});

test('a signal ends a request, and an answer that is being read', async () => {
  answer = (_request, response) => void response.write('begun');
  const before = AbortSignal.abort(new Error('too late'));
  await expect(pinned(url, { signal: before })).rejects.toThrow('too late');
  const controller = new AbortController();
  const response = await pinned(url, { signal: controller.signal });
  const reader = response.body!.getReader();
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('begun');
  controller.abort();
  await expect(reader.read()).rejects.toThrow(/aborted/);
  answer = () => undefined;
  const waiting = new AbortController();
  const asked = pinned(url, { signal: waiting.signal });
  waiting.abort();
  await expect(asked).rejects.toThrow(/aborted/);
});

test('another pin is refused before a byte is sent, and both are shown', async () => {
  const asked = createPinnedFetch(otherPin)(url, {
    method: 'POST',
    headers: { authorization: 'Bearer secret' },
    body: 'secret',
  });
  await expect(asked).rejects.toMatchObject({
    code: 'untrusted_certificate',
    message: expect.stringMatching(`its pin is ${pin}, expected is ${otherPin}`),
  });
  // The connection was made, and ends without a word.
  await Promise.all(ends);
  expect(ends).toHaveLength(1);
  expect(received).toBe('');
});

test('a key that is proven by another than its owner is refused', async () => {
  // The pinned certificate, shown by somebody who has not got its key, does not get through a handshake.
  const imposter = createServer((socket) => socket.end('\x15\x03\x03\x00\x02\x02\x28'));
  imposter.listen(0, '127.0.0.1');
  await once(imposter, 'listening');
  const { port } = imposter.address() as AddressInfo;
  await expect(pinned(`https://127.0.0.1:${port}`)).rejects.toThrow(/handshake failure/i);
  imposter.close();
});

test('a pin can be met without sending anything', async () => {
  expect(await meetPin(findNodeModules()!, url)).toBe(pin);
  expect(received).toBe('');
  expect(await meetPin(findNodeModules()!, 'https://127.0.0.1:1')).toBeNull();
});
