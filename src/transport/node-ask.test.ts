// What the SDK sends in Node goes by `node:http`; it is answered as by `fetch`, and nothing is sent to a stranger.

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anotherPinThan, testCertificate } from '../../test/support/test-certificate.ts';
import type { Answer } from './answer.ts';
import { createNodeAsk, createPinnedAsk } from './node-ask.ts';

let server: Server;
let url: string;
let connections: Set<Socket>;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
const ask = createNodeAsk();

beforeEach(async () => {
  connections = new Set();
  answer = (_request, response) => response.end('hello');
  server = createServer((request, response) => void answer(request, response));
  server.on('connection', (socket) => connections.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function textsOf(from: Answer): Promise<string[]> {
  const reader = from.texts!();
  const texts: string[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read())
    texts.push(next.value!);
  return texts;
}

test('who leaves while a whole answer waits to be read is not told that it ended', async () => {
  const length = 180_000;
  answer = (_request, response) => response.end('x'.repeat(length));
  const stop = new AbortController();
  const response = await ask(url, { signal: stop.signal });
  const reader = response.texts!();
  const first = await reader.read();
  const [connection] = connections;
  // All of it has left the server: what is not in the system's buffers is with the reader.
  await expect.poll(() => connection!.writableLength).toBe(0);
  await expect.poll(() => connection!.bytesWritten).toBeGreaterThan(length);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  stop.abort(new Error('I have left'));
  let read = first.value!.length;
  const readOn = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 'ended';
      read += value!.length;
    }
  };
  await expect(readOn()).rejects.toThrow('I have left');
  expect(read).toBeLessThan(length);
});

test('a request is answered with status, headers and text', async () => {
  answer = async (request, response) => {
    const body = await text(request);
    const { headers } = request;
    response.setHeader('x-some', ['a', 'b']);
    response.writeHead(404).end(`${request.method} ${request.url} ${headers['x-own']} ${body}`);
  };
  const headers = { 'X-Own': ' mine\n', 'content-type': 'application/json' };
  const response = await ask(`${url}/p?q=1`, { method: 'PUT', headers, body: 'bytes' });
  expect([response.status, response.ok, response.type]).toEqual([404, false, 'basic']);
  expect([response.headers.get('X-Some'), response.headers.get('none')]).toEqual(['a, b', null]);
  expect(await response.text()).toBe('PUT /p?q=1 mine bytes');
});

test('bytes are the bytes, and letters that were cut in two are whole', async () => {
  const bytes = Buffer.from('h€llo');
  answer = async (_request, response) => {
    response.write(bytes.subarray(0, 2));
    await new Promise((resolve) => void setImmediate(resolve));
    response.end(bytes.subarray(2));
  };
  expect(new Uint8Array(await (await ask(url, {})).arrayBuffer())).toEqual(new Uint8Array(bytes));
  expect((await textsOf(await ask(url, {}))).join('')).toBe('h€llo');
});

test('bodies of every kind are sent, and one that is long is not held in memory', async () => {
  answer = async (request, response) => response.end(await text(request));
  const large = 'x'.repeat(300_000);
  const pieces = new ReadableStream({
    start(controller) {
      for (const part of [large, large]) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  const send = async (body: RequestInit['body']) =>
    (await ask(url, { method: 'POST', body: body ?? null })).text();
  expect(await send(new TextEncoder().encode('bytes'))).toBe('bytes');
  expect(await send(new Blob(['a', 'blob']))).toBe('ablob');
  expect(await send(pieces)).toBe(large + large);
  expect(await send(null)).toBe('');
});

test('one connection serves requests that follow each other, answers in pieces too', async () => {
  for (let i = 0; i < 3; i++) {
    await (await ask(url, {})).text();
    await textsOf(await ask(url, {}));
  }
  expect(connections.size).toBe(1);
});

test('a kept connection that was closed meanwhile costs nothing where a request may be repeated', async () => {
  await (await ask(url, {})).text();
  server.closeAllConnections();
  expect(await (await ask(url, {})).text()).toBe('hello');
});

test('a redirection is not followed', async () => {
  answer = (_request, response) =>
    response.writeHead(302, { location: 'http://127.0.0.1:1' }).end();
  const response = await ask(url, {});
  expect([response.status, response.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1']);
  await response.text();
});

test('an answer that comes before its request was read ends the sending', async () => {
  answer = (_request, response) => response.writeHead(422).end('no');
  const cancelled = Promise.withResolvers<void>();
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    cancel: () => cancelled.resolve(),
  });
  const init = { method: 'POST', body: endless, duplex: 'half' } as const;
  const response = await ask(url, init);
  expect([response.status, await response.text()]).toEqual([422, 'no']);
  await cancelled.promise;
});

test('where `fetch` has a dispatcher of somebody, for a proxy, it is used', async () => {
  const symbol = Symbol.for('undici.globalDispatcher.1');
  const known = globalThis as Record<symbol, unknown>;
  const before = known[symbol];
  class ProxyAgent {
    dispatch = () => {
      throw new Error('by the proxy');
    };
  }
  known[symbol] = new ProxyAgent();
  try {
    expect(await ask(url, {})).toBeInstanceOf(Response);
  } finally {
    if (before === undefined) delete known[symbol];
    else known[symbol] = before;
  }
});

describe('it fails', () => {
  test('when nobody listens', async () => {
    await expect(ask('http://127.0.0.1:1', {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('when an answer breaks off', async () => {
    answer = (_request, response) => {
      response.write('begun', () => response.socket!.destroySoon());
    };
    const response = await ask(url, {});
    await expect(response.text()).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(textsOf(await ask(url, {}))).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('when a signal ends the request, or an answer that is being read', async () => {
    answer = (_request, response) => void response.write('begun');
    const before = AbortSignal.abort(new Error('too late'));
    await expect(ask(url, { signal: before })).rejects.toThrow('too late');
    const controller = new AbortController();
    const reader = (await ask(url, { signal: controller.signal })).texts!();
    expect(await reader.read()).toEqual({ done: false, value: 'begun' });
    const next = reader.read();
    controller.abort();
    await expect(next).rejects.toThrow(/abort/);
  });

  test('when the answer is no HTTP', async () => {
    answer = (request) => request.socket.end('HTTP/1.1 \u0001\r\n\r\n');
    await expect(ask(url, {})).rejects.toMatchObject({ code: expect.stringMatching(/^HPE_/) });
  });
});

test('who leaves an answer closes its connection', async () => {
  const closed = Promise.withResolvers<void>();
  answer = (_request, response) => {
    response.write('begun');
    response.once('close', () => closed.resolve());
  };
  const reader = (await ask(url, {})).texts!();
  await reader.read();
  const next = reader.read();
  next.catch(() => undefined);
  await reader.cancel();
  await closed.promise;
  expect(connections.size).toBe(1);
});

describe('under TLS', () => {
  const { cert, key, pin } = testCertificate(['elsewhere.example']);
  let received: string;
  let place: string;

  beforeEach(async () => {
    received = '';
    const secure = createHttps({ key, cert }, (_request, response) => void response.end('hello'));
    secure.on('secureConnection', (socket) => {
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString();
      });
    });
    secure.listen(0, '127.0.0.1');
    await once(secure, 'listening');
    place = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    return () => {
      secure.close();
      secure.closeAllConnections();
    };
  });

  const secret = { method: 'POST', headers: { authorization: 'Bearer secret' }, body: 'secret' };

  test('nothing is sent to one whose certificate nobody has signed', async () => {
    await expect(ask(place, secret)).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(received).toBe('');
  });

  test('nothing is sent to one with another pin', async () => {
    await expect(createPinnedAsk(anotherPinThan(pin))(place, secret)).rejects.toMatchObject({
      code: 'untrusted_certificate',
    });
    expect(received).toBe('');
  });

  test('the one with the pin is asked', async () => {
    expect(await (await createPinnedAsk(pin)(place, secret)).text()).toBe('hello');
    expect(received).toContain('secret');
  });

  test('nothing is sent to one who does not speak TLS', async () => {
    let heard = Buffer.alloc(0);
    const plain = createTcp((socket) => {
      socket.on('data', (bytes: Buffer) => {
        heard = Buffer.concat([heard, bytes]);
        socket.end('HTTP/1.1 200 OK\r\n\r\n');
      });
    });
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    await expect(ask(`https://127.0.0.1:${port}`, secret)).rejects.toThrow(
      /ssl|tls|packet|version/i,
    );
    expect(heard.includes('secret')).toBe(false);
    plain.close();
  });
});
