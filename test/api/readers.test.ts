// Readers that request large answers and read nothing: the memory that they hold is bounded, no other
// request waits for them, and in the end they are cut off.

import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer } from '../../src/server/server.ts';
import { eventually, type LiveServer, startLiveServer } from './support/live-server.ts';

const answerBytes = 300_000;
const results = 160;
/** Together more than a connection holds; each is a piece of its own. */
const text = 'x'.repeat(100_000);
const pieceBytes = 101_000;

let live: LiveServer;
let job: string;
beforeAll(async () => {
  live = await startLiveServer({ answerBytes, connectionsPerToken: 100 });
  await live.worker(() => ({ value: text }), { slots: 20 });
  job = await live.submit(Array.from({ length: results }, (_, i) => i));
  const head = () => live.call('GET', `/api/jobs/${job}?tasks=false`);
  await eventually(head, ({ body }) => body.status === 'completed');
});
afterAll(() => live.close());

test.each(['/results', '/results?follow=true'])(
  'twelve that never read GET %s hold what answer_bytes allows, and others are served',
  async (what) => {
    const open = new Set<ServerResponse>();
    const note = (_request: unknown, response: ServerResponse) => void open.add(response);
    live.server.app.server.on('request', note);
    const sockets = Array.from({ length: 12 }, () => ask(live.url, `/api/jobs/${job}${what}`));
    try {
      const list = () => live.call('GET', '/api/jobs');
      const { headers, body } = await eventually(list, ({ status }) => status === 503);
      expect(body.code).toBe('busy');
      expect(headers.get('retry-after')).toBe('1');
      expect(body.detail).toContain('answer_bytes');
      const held = [...open].reduce((sum, { writableLength }) => sum + writableLength, 0);
      expect(held).toBeLessThan(answerBytes + 8 * pieceBytes);
      const fresh = await fetch(`${live.url}/healthz`, { headers: { connection: 'close' } });
      expect(fresh.status).toBe(200);
      expect((await live.call('GET', `/api/jobs/${job}?tasks=false`)).status).toBe(200);
    } finally {
      live.server.app.server.off('request', note);
      for (const socket of sockets) socket.destroy();
    }
    // They have left: there is room again, and an answer comes to its end.
    const whole = () => live.call('GET', `/api/jobs/${job}/results`);
    const { body } = await eventually(whole, ({ status }) => status === 200);
    expect(body).toHaveLength(results);
  },
);

test('who reads slowest makes room for somebody new', async () => {
  const server = createServer({
    coordinator: live.coordinator,
    limits: { ...defaultLimits, answerBytes },
    log: pino({ level: 'silent' }),
    behindMs: 0,
  });
  let cut = 0;
  server.app.server.on('request', ({ url }, response) => {
    if (url?.endsWith('/results') === true) response.once('close', () => cut++);
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const sockets = Array.from({ length: 12 }, () => ask(url, `/api/jobs/${job}/results`));
  try {
    const list = () => fetch(`${url}/api/jobs`);
    const { status } = await eventually(list, () => cut > 0);
    expect(status).toBe(200);
    expect(cut).toBeLessThan(12);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.close();
  }
});

test('when those who kept everybody waiting read on, there is room again', async () => {
  const server = createServer({
    coordinator: live.coordinator,
    limits: { ...defaultLimits, answerBytes },
    log: pino({ level: 'silent' }),
    behindMs: Infinity,
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const sockets = Array.from({ length: 12 }, () => ask(url, `/api/jobs/${job}/results`));
  try {
    const list = () => fetch(`${url}/api/jobs`);
    await eventually(list, ({ status }) => status === 503);
    const further = sockets.map((socket) => {
      let bytes = 0;
      return new Promise<number>((resolve) => {
        socket.on('data', (data) => {
          bytes += data.length;
          if (bytes > 12_000_000) resolve(bytes);
        });
        socket.resume();
      });
    });
    expect(await Promise.race(further)).toBeGreaterThan(12_000_000);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.close();
  }
});

test('the memory of a piece that was read serves later ones', async () => {
  const memories = new Set<ArrayBufferLike>();
  const note = (_request: unknown, response: ServerResponse) => {
    const write = response.write.bind(response) as (piece: Uint8Array) => boolean;
    response.write = (piece: Uint8Array) => {
      memories.add(piece.buffer);
      return write(piece);
    };
  };
  live.server.app.server.on('request', note);
  try {
    const answer = await fetch(`${live.url}/api/jobs/${job}/results`);
    expect(await answer.json()).toHaveLength(results);
  } finally {
    live.server.app.server.off('request', note);
  }
  // Of all pieces, a few; and the last bracket.
  expect(memories.size).toBeLessThan(results / 4);
});

test('many at once that read fast, slowly, or two answers on one connection get each its own bytes', async () => {
  const log = pino({ level: 'silent' });
  const server = createServer({ coordinator: live.coordinator, limits: defaultLimits, log });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const path = `/api/jobs/${job}/results`;
  const whole = await (await fetch(`${url}${path}`)).text();
  const alone = async () => expect(await (await fetch(`${url}${path}`)).text()).toBe(whole);
  const twice = async (isSlow: boolean) => {
    const socket = ask(url, path);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const received: Buffer[] = [];
    for await (const data of socket) {
      received.push(data as Buffer);
      if (isSlow) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(bodiesOf(Buffer.concat(received))).toEqual([whole, whole]);
  };
  try {
    await Promise.all([alone(), twice(true), alone(), twice(false), twice(true)]);
  } finally {
    await server.close();
  }
});

test('plain results count as open connections, too', async () => {
  const server = createServer({
    coordinator: live.coordinator,
    limits: { ...defaultLimits, connectionsPerToken: 2 },
    log: pino({ level: 'silent' }),
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const sockets = [1, 2].map(() => ask(url, `/api/jobs/${job}/results`));
  try {
    const answer = await eventually(
      () => fetch(`${url}/api/jobs/${job}/results`, { method: 'HEAD' }),
      ({ status }) => status !== 200,
    );
    expect(answer.status).toBe(429);
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.close();
  }
});

test('a reader that takes nothing is cut off, and that is told once; one that reads is not', async () => {
  const lines: { readonly level: number; readonly msg: string }[] = [];
  const server = createServer({
    coordinator: live.coordinator,
    limits: defaultLimits,
    log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
    stalledMs: 200,
  });
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const closed: Promise<unknown>[] = [];
  server.app.server.on('connection', (socket: Socket) => {
    closed.push(new Promise((resolve) => socket.once('close', resolve)));
  });
  const unread = ask(url, `/api/jobs/${job}/results`);
  try {
    await eventually(
      async () => closed.length,
      (count) => count === 1,
    );
    await closed[0];
    const cut = lines.filter(({ msg }) => msg.includes('took nothing for 0.2 s'));
    expect(cut).toHaveLength(1);
    const answer = await fetch(`${url}/api/jobs/${job}/results`);
    expect(await answer.json()).toHaveLength(results);
    expect(lines.filter(({ level }) => level > pino.levels.values['info']!)).toEqual(cut);
  } finally {
    unread.destroy();
    await server.close();
  }
});

/** Of answers in chunks, one behind the other. */
function bodiesOf(bytes: Buffer): string[] {
  const bodies: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    at = bytes.indexOf('\r\n\r\n', at) + 4;
    const pieces: Buffer[] = [];
    for (let size = Infinity; size > 0; ) {
      const end = bytes.indexOf('\r\n', at) + 2;
      size = Number.parseInt(bytes.toString('latin1', at, end), 16);
      pieces.push(bytes.subarray(end, end + size));
      at = end + size + 2;
    }
    bodies.push(Buffer.concat(pieces).toString());
  }
  return bodies;
}

/** A reader that never takes a byte from its socket. */
function ask(url: string, path: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', () => {}).pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}
