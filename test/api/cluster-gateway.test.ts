// A member that follows answers like the leader: every case is asked of both, and what differs between two requests
// (ids, moments) is left out.

import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { connect as openConnection } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../src/client/index.ts';
import { EventReader } from './support/event-reader.ts';
import { eventually, type Loose, program } from './support/live-server.ts';
import { type Couple, type Member, startCouple } from './support/members.ts';
import { ScriptedWorker } from './support/scripted-worker.ts';

let couple: Couple;
beforeAll(async () => {
  couple = await startCouple();
  // To bring it once more is answered otherwise than the first time.
  const { status } = await ask(couple.follower.url, 'PUT', `/api/blobs/${hash}`, { body: blob });
  if (status !== 201) throw new Error(`not stored: ${status}`);
});
afterAll(() => couple.close());

interface Heard {
  readonly status: number;
  readonly headers: Record<string, Loose>;
  readonly text: string;
}

interface Asked {
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

function ask(
  url: string,
  method: string,
  path: string,
  { headers = {}, body }: Asked = {},
): Promise<Heard> {
  return new Promise((resolve, reject) => {
    const asked = request(`${url}${path}`, { method, headers, agent: false });
    asked.once('error', reject);
    asked.once('response', (answer) => {
      buffer(answer).then((bytes) => {
        const { date: _date, ...rest } = answer.headers;
        resolve({ status: answer.statusCode!, headers: rest, text: bytes.toString('latin1') });
      }, reject);
    });
    asked.end(body);
  });
}

const json = { 'content-type': 'application/json' };
const submitted = (inputs: unknown, more: object = {}) =>
  JSON.stringify({ program, inputs, ...more });
const blob = randomBytes(3_000_000);
const hash = createHash('sha256').update(blob).digest('hex');

test.each<[string, string, Asked?]>([
  ['GET', '/api/limits'],
  ['HEAD', '/api/limits'],
  ['GET', '/api/jobs'],
  ['GET', '/api/jobs?limit=x'],
  ['GET', '/api/jobs/unknown'],
  ['GET', '/api/jobs/un%20known/results'],
  ['GET', '/api/none'],
  ['GET', '/api//jobs'],
  ['PATCH', '/api/jobs'],
  ['PURGE', '/api/jobs'],
  ['DELETE', '/api/jobs'],
  ['POST', '/api/jobs'],
  ['POST', '/api/jobs', { headers: json, body: '{' }],
  ['POST', '/api/jobs', { headers: json, body: submitted('none') }],
  ['POST', '/api/jobs', { headers: json, body: submitted([1], { colour: 'red' }) }],
  ['POST', '/api/jobs', { headers: { 'content-type': 'text/plain' }, body: 'job' }],
  ['POST', '/api/jobs', { headers: { ...json, 'content-encoding': 'gzip' }, body: 'job' }],
  ['PUT', `/api/blobs/${hash}`, { body: 'of another hash' }],
  ['PUT', `/api/blobs/${hash}`, { body: blob }],
  ['GET', `/api/blobs/${hash}`],
  ['GET', `/api/blobs/${hash}`, { headers: { range: 'bytes=10-20' } }],
  ['GET', `/api/blobs/${hash}`, { headers: { 'if-none-match': `"${hash}"` } }],
  ['HEAD', `/api/blobs/${hash}`],
  ['GET', '/api/scheduler'],
  ['PUT', '/api/scheduler', { headers: json, body: '{"algorithm":"none"}' }],
  ['GET', '/api/session'],
  ['GET', '/api/workers/connect'],
  ['GET', '/api/stats', { headers: { origin: 'https://elsewhere.example' } }],
  ['GET', '/api/limits', { headers: { expect: 'a miracle' } }],
  ['GET', '/openapi.json'],
  ['GET', '/nowhere'],
])('%s %s', async (method, path, asked) => {
  const { leader, follower } = couple;
  const host = { host: 'localhost' };
  const same = { ...asked, headers: { ...host, ...asked?.headers } };
  const direct = await ask(leader.url, method, path, same);
  const passed = await ask(follower.url, method, path, same);
  expect(passed).toEqual(direct);
});

test('a job goes through a member that follows, to the end of its results', async () => {
  const { follower, leader } = couple;
  const worker = await ScriptedWorker.connect(follower.url, ({ input }) => ({
    value: 2 * (input as number),
  }));
  onTestFinished(() => worker.end());
  expect([follower.server.workerSockets, leader.server.workerSockets]).toEqual([1, 0]);
  const muster = connect(follower.url);
  const inputs = Array.from({ length: 500 }, (_, i) => i);
  const values = await muster.map(inputs, (n: number) => 2 * n);
  expect(values).toEqual(inputs.map((n) => 2 * n));
  const followed = await ask(follower.url, 'POST', '/api/jobs?follow=true', {
    headers: json,
    body: submitted([1, 2]),
  });
  expect(followed.headers['content-type']).toMatch(/ndjson/);
  expect(followed.text.trim().split('\n')).toHaveLength(4);
  worker.end();
  await eventually(
    () => Promise.resolve(follower.server.workerSockets),
    (count) => count === 0,
  );
});

test('a large job is taken as a stream, and can be cancelled', async () => {
  const { follower } = couple;
  const lines = [JSON.stringify({ program }), ...Array.from({ length: 60_000 }, (_, i) => `${i}`)];
  const { status, text } = await ask(follower.url, 'POST', '/api/jobs', {
    headers: { 'content-type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  expect(status).toBe(201);
  const { id, task_count: count } = JSON.parse(text);
  expect(count).toBe(60_000);
  const cancelled = await ask(follower.url, 'POST', `/api/jobs/${id}/cancel`);
  expect(JSON.parse(cancelled.text)).toMatchObject({ status: 'cancelled' });
});

test('a key that comes twice makes one job, whichever members it came to', async () => {
  const { leader, follower } = couple;
  const asked = { headers: { ...json, 'idempotency-key': 'once' }, body: submitted([1]) };
  const one = JSON.parse((await ask(follower.url, 'POST', '/api/jobs', asked)).text);
  const other = JSON.parse((await ask(leader.url, 'POST', '/api/jobs', asked)).text);
  expect(other.id).toBe(one.id);
});

test('events come as they happen, and end at the leader when their reader leaves', async () => {
  const { follower, leader } = couple;
  const reader = new EventReader(follower.url);
  await reader.opened;
  expect([reader.status, reader.contentType]).toEqual([200, 'text/event-stream; charset=utf-8']);
  const open = () =>
    new Promise<number>((resolve) => {
      leader.server.app.server.getConnections((_error, count) => resolve(count));
    });
  const before = await open();
  await ask(follower.url, 'POST', '/api/jobs', { headers: json, body: submitted([1]) });
  await eventually(
    () => Promise.resolve(reader.events),
    (events) => events.some(({ type }) => type === 'job_submitted'),
  );
  await reader.cut();
  await eventually(open, (count) => count < before + 1);
});

test('a body that its sender leaves is left at the leader too', async () => {
  const { follower } = couple;
  const asked = request(`${follower.url}/api/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
  });
  asked.on('error', () => {});
  asked.write(`${JSON.stringify({ program, name: 'left' })}\n1\n`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  asked.destroy();
  const page = await ask(follower.url, 'GET', '/api/jobs');
  expect(page.text).not.toContain('"left"');
});

test('many at once over one connection each are answered each with its own', async () => {
  const { follower } = couple;
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => ask(follower.url, 'GET', `/api/jobs/none-${i}`)),
  );
  expect(answers.map(({ text }) => JSON.parse(text).detail)).toEqual(
    Array.from({ length: 100 }, (_, i) => `No job has the id "none-${i}".`),
  );
});

/** What comes back on a connection of its own, until it ends. */
function talk({ url }: Member, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = openConnection(Number(new URL(url).port), '127.0.0.1');
    socket.once('error', reject);
    buffer(socket).then((heard) => {
      resolve(heard.toString('latin1').replaceAll(/^Date: .*\r\n/gm, ''));
    }, reject);
    socket.write(bytes, 'latin1');
  });
}

const end = 'Host: localhost\r\nConnection: close\r\n';
test.each([
  ['an address as a whole', `GET http://localhost/api/jobs/none HTTP/1.1\r\n${end}\r\n`],
  ['letters in another spelling', `GET /%61pi/jobs/none HTTP/1.1\r\n${end}\r\n`],
  ['letters of no alphabet', `GET /api/jobs/n\xe9 HTTP/1.1\r\n${end}\r\n`],
  ['an address that cannot be read', `GET /api/jobs/%zz HTTP/1.1\r\n${end}\r\n`],
  ['an older version', 'GET /api/jobs/none HTTP/1.0\r\nHost: localhost\r\n\r\n'],
  ['no host', 'GET /api/jobs/none HTTP/1.0\r\n\r\n'],
  [
    'a body where none is read',
    `GET /api/jobs/none HTTP/1.1\r\n${end}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  ],
  [
    'no length of a body',
    `DELETE /api/jobs/none HTTP/1.1\r\nHost: localhost\r\nConnection: close, Content-Length\r\nContent-Length: 3\r\n\r\nabc`,
  ],
  ['an upgrade that there is not', `GET /api/limits HTTP/1.1\r\n${end}Upgrade: h2c\r\n\r\n`],
])('%s is understood as by the leader', async (_what, bytes) => {
  const direct = await talk(couple.leader, bytes);
  expect(direct).toMatch(/^HTTP\/1\.1 /);
  expect(await talk(couple.follower, bytes)).toBe(direct);
});

test('what is sent behind a length that is to be left out is no request of its own', async () => {
  const { follower, leader } = couple;
  let seen = 0;
  leader.server.app.server.on('request', () => seen++);
  const hidden = 'DELETE /api/database/clear HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const head =
    'GET /api/limits HTTP/1.1\r\nHost: localhost\r\nConnection: close, Content-Length\r\n' +
    `Content-Length: ${hidden.length}\r\n\r\n`;
  expect(await talk(follower, head + hidden)).toMatch(/^HTTP\/1\.1 200/);
  expect((await ask(follower.url, 'GET', '/api/limits')).status).toBe(200);
  expect(seen).toBe(2);
});
