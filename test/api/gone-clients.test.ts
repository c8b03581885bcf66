// A client that leaves in the middle of a request is no fault of the coordinator, so nothing is logged as
// an error. The same holds for any path that a client requests.

import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer, type Server } from '../../src/server/server.ts';
import { eventually, type LiveServer, program, startLiveServer } from './support/live-server.ts';

const bytes = Buffer.alloc(4 * 1024 * 1024);
const sha256 = createHash('sha256').update(bytes).digest('hex');

let live: LiveServer;
let logging: Server;
let port: number;
let job: string;
/** What to do when the request of a port has begun to be answered. */
const cuts = new Map<number | undefined, () => void>();
const log: { readonly level: number; readonly msg: string }[] = [];
beforeAll(async () => {
  live = await startLiveServer();
  job = await live.submit([1]);
  await live.call('PUT', `/api/blobs/${sha256}`, { body: bytes });
  logging = createServer({
    coordinator: live.coordinator,
    limits: defaultLimits,
    log: pino({ level: 'trace' }, { write: (line: string) => void log.push(JSON.parse(line)) }),
  });
  logging.app.server.on('request', ({ socket: { remotePort } }) => {
    setImmediate(() => cuts.get(remotePort)?.());
  });
  port = Number(new URL(await logging.listen({ host: '127.0.0.1', port: 0 })).port);
});
beforeEach(() => void log.splice(0));
afterAll(async () => {
  await logging.close();
  await live.close();
});

const host = 'Host: localhost\r\n';
const json = 'Content-Type: application/json\r\n';
const whole = JSON.stringify({ program, inputs: [1] });
const lines = `${JSON.stringify({ program })}\n1\n2\n`;

describe('twenty clients that leave, and no line in the log about them:', () => {
  test.each<[string, string]>([
    ['in a job', `POST /api/jobs HTTP/1.1\r\n${host}${json}Content-Length: 99\r\n\r\n{"a"`],
    [
      'in a job of lines',
      `POST /api/jobs HTTP/1.1\r\n${host}Content-Type: application/x-ndjson\r\nContent-Length: 9999\r\n\r\n${lines}`,
    ],
    ['in a blob', `PUT /api/blobs/${sha256} HTTP/1.1\r\n${host}Content-Length: 99\r\n\r\nabc`],
    [
      'in a registration',
      `POST /api/workers HTTP/1.1\r\n${host}${json}Transfer-Encoding: chunked\r\n\r\n5\r\n{"typ`,
    ],
    [
      'in a configuration',
      `PUT /api/scheduler/config HTTP/1.1\r\n${host}${json}Content-Length: 99\r\n\r\n{`,
    ],
  ])('%s', async (_where, text) => {
    await Promise.all(Array.from({ length: 20 }, () => leave(text, 'request')));
    // That they left is there for who looks closely, and so it is known that the log has it all.
    await eventually(
      async () => log.filter(({ msg }) => msg === 'the client left before its answer').length,
      (count) => count === 20,
    );
    expect(log.filter(({ level }) => level > pino.levels.values['debug']!)).toEqual([]);
    expect(JSON.stringify(log)).not.toContain('stack');
  });

  test.each<[string, () => string]>([
    ['from results', () => `GET /api/jobs/${job}/results?follow=true HTTP/1.1\r\n${host}\r\n`],
    [
      'from a job that they have submitted',
      () =>
        `POST /api/jobs?follow=true HTTP/1.1\r\n${host}${json}Content-Length: ${whole.length}\r\n\r\n${whole}`,
    ],
    ['from events', () => `GET /api/events HTTP/1.1\r\n${host}\r\n`],
    ['from a blob', () => `GET /api/blobs/${sha256} HTTP/1.1\r\n${host}\r\n`],
  ])('%s', async (_where, text) => {
    await Promise.all(Array.from({ length: 20 }, () => leave(text(), 'answer')));
    // Once every connection is gone, whatever there was to say has been said.
    await eventually(openConnections, (count) => count === 0);
    expect(log.filter(({ level }) => level > pino.levels.values['debug']!)).toEqual([]);
  });
});

describe('a path that leaves its folder is a path where nothing is:', () => {
  test.each([
    '/docs/static/../..',
    '/docs/static/../../package.json',
    '/docs/static/%2e%2e/%2e%2e/package.json',
    '/docs/static/..%2f..%2fpackage.json',
    '/docs/static/%2e%2e%2f%2e%2e%2fpackage.json',
    '/docs/static/..%5c..%5cpackage.json',
    '/docs/static/%252e%252e/package.json',
    '/docs/static/%c0%ae%c0%ae/package.json',
    '/docs/static/%00',
    '/docs/static/swagger-ui.css%00.html',
    '/docs/static//etc/passwd',
    '/docs/static/.hidden',
    `/docs/static/${'a'.repeat(5000)}`,
    '/docs/static/none.css',
  ])('%s', async (path) => {
    const answer = await read(`GET ${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1]!)).toMatchObject({ code: 'not_found' });
    expect(log.filter(({ level }) => level > pino.levels.values['debug']!)).toEqual([]);
  });

  test.each(['If-Match: "x"', 'If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT'])(
    'and a file is read whatever else is asked: %s',
    async (header) => {
      const text = `GET /docs/static/swagger-ui.css HTTP/1.1\r\n${host}${header}\r\n`;
      expect(await read(`${text}Connection: close\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
    },
  );
});

/** Sends a request, or reads the begin of an answer, and cuts the line. */
function leave(text: string, end: 'request' | 'answer'): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    const cut = () => void socket.resetAndDestroy();
    socket.on('error', () => {}).once('close', () => resolve());
    if (end === 'answer') socket.once('data', cut);
    else socket.once('connect', () => cuts.set(socket.localPort, cut));
    socket.write(text);
  });
}

function read(text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve, reject) => {
    let got = '';
    socket.setEncoding('utf8').on('data', (part: string) => (got += part));
    socket.on('error', reject).on('close', () => resolve(got));
    socket.write(text);
  });
}

function openConnections(): Promise<number> {
  return new Promise((resolve, reject) => {
    logging.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
