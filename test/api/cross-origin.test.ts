// "Other origins: CORS for the list of `--allow-origin`, without credentials; none by default", asked as
// browsers ask.

import { request } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer, type Server } from '../../src/server/server.ts';
import { type LiveServer, startLiveServer } from './support/live-server.ts';

const page = 'http://localhost:5173';

let live: LiveServer;
/** A server for the same coordinator that allows the page. */
let open: Server;
let url: string;
let job: string;
beforeAll(async () => {
  live = await startLiveServer();
  open = createServer({
    coordinator: live.coordinator,
    limits: { ...defaultLimits, bodyBytes: 2000 },
    log: pino({ level: 'silent' }),
    allowedOrigins: [page, 'https://app.example'],
  });
  url = await open.listen({ host: '127.0.0.1', port: 0 });
  job = await live.submit([1]);
});
afterAll(async () => {
  await open.close();
  await live.close();
});

interface Asked {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** The head of an answer; a stream is left. (`fetch` may not set `Origin` and the questions of a browser.) */
function ask(base: string, method: string, path: string, headers = {}, body = ''): Promise<Asked> {
  return new Promise((resolve, reject) => {
    const asking = request(`${base}${path}`, { method, headers }, (response) => {
      resolve({ status: response.statusCode!, headers: response.headers as Asked['headers'] });
      response.destroy();
    });
    asking.on('error', reject).end(body);
  });
}

function corsOf({ headers }: Asked): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control'));
}

/** Every request of the SDK that a browser asks about first. */
const questions: [string, string, string][] = [
  ['POST', '/api/jobs', 'content-type,idempotency-key'],
  ['GET', '/api/jobs', 'authorization'],
  ['DELETE', '/api/jobs/x', ''],
  ['POST', '/api/jobs/x/cancel', 'authorization'],
  ['GET', '/api/events', 'last-event-id'],
  ['PUT', '/api/scheduler/config', 'content-type'],
  ['PUT', `/api/blobs/${'0'.repeat(64)}`, 'content-type'],
  ['POST', '/api/workers/x/report', 'authorization,content-type'],
  ['PUT', '/nothing/here', 'content-type'],
];

describe('a page on the list', () => {
  test.each(questions)('may send %s %s with "%s"', async (method, path, names) => {
    const answer = await ask(url, 'OPTIONS', path, {
      origin: page,
      'access-control-request-method': method,
      ...(names === '' ? {} : { 'access-control-request-headers': names }),
    });
    const { headers } = answer;
    expect(answer.status).toBe(204);
    expect(headers['access-control-allow-origin']).toBe(page);
    expect(headers['access-control-allow-methods']?.split(', ')).toContain(method);
    const allowed = headers['access-control-allow-headers']?.toLowerCase().split(', ') ?? [];
    expect(allowed).toEqual(expect.arrayContaining(names === '' ? [] : names.split(',')));
    expect(headers['vary']).toBe('origin');
    expect(headers['access-control-allow-credentials']).toBe(undefined);
  });

  test.each<[string, string, () => string, number, string?]>([
    ['an answer', 'GET', () => '/api/stats', 200],
    ['an answer without its body', 'HEAD', () => '/api/stats', 200],
    ['a list', 'GET', () => '/api/jobs', 200],
    ['results', 'GET', () => `/api/jobs/${job}/results`, 200],
    ['lines that go on', 'GET', () => `/api/jobs/${job}/results?follow=true`, 200],
    ['events', 'GET', () => '/api/events', 200],
    ['the document', 'GET', () => '/openapi.json', 200],
    ['an unknown job', 'GET', () => '/api/jobs/none', 404],
    ['an unknown address', 'GET', () => '/nothing', 404],
    ['a wrong method', 'PATCH', () => '/api/jobs', 405],
    ['a wrong body', 'POST', () => '/api/jobs', 422, '{}'],
    ['a body that is too large', 'POST', () => '/api/jobs', 413, `"${'x'.repeat(5000)}"`],
    ['a call without its token', 'POST', () => '/api/workers/x/claim', 401, '{}'],
  ])('reads %s', async (_what, method, path, status, body) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await ask(url, method, path(), { origin: page, ...headers }, body);
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBe(page);
    const readable = answer.headers['access-control-expose-headers']?.split(', ');
    expect(readable).toEqual(expect.arrayContaining(['Location', 'Retry-After', 'Link', 'ETag']));
    expect(answer.headers['vary']).toMatch(/^origin/);
    expect(answer.headers['access-control-allow-credentials']).toBe(undefined);
  });

  test('has its origin given back as it was sent, and results vary by both', async () => {
    const origin = 'HTTPS://App.Example:443';
    const { headers } = await ask(url, 'GET', `/api/jobs/${job}/results`, { origin });
    expect(headers['access-control-allow-origin']).toBe(origin);
    expect(headers['vary']).toBe('origin, accept');
  });

  test('of the web may speak to the machine of its reader, where the browser asks', async () => {
    const { headers } = await ask(url, 'OPTIONS', '/api/stats', {
      origin: 'https://app.example',
      'access-control-request-method': 'GET',
      'access-control-request-private-network': 'true',
    });
    expect(headers['access-control-allow-private-network']).toBe('true');
  });

  test('that sends OPTIONS of its own is told the methods', async () => {
    const answer = await ask(url, 'OPTIONS', '/api/jobs', { origin: page });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD, POST']);
  });
});

describe('without the list, or for another page,', () => {
  const question = { 'access-control-request-method': 'POST' };
  test.each<[string, () => string, string, object, number]>([
    ['no page may ask', () => live.url, 'OPTIONS', { origin: page, ...question }, 403],
    ['no page may read', () => live.url, 'GET', { origin: page }, 403],
    [
      'another page may not ask',
      () => url,
      'OPTIONS',
      { origin: 'http://localhost:5174', ...question },
      403,
    ],
    ['another page may not read', () => url, 'GET', { origin: 'https://evil.example' }, 403],
    ['programs see nothing of it', () => url, 'GET', {}, 200],
  ])('%s', async (_what, base, method, headers, status) => {
    const answer = await ask(base(), method, '/api/jobs', headers);
    expect(answer.status).toBe(status);
    expect(corsOf(answer)).toEqual([]);
  });

  test('a page of the coordinator itself needs none', async () => {
    const origin = new URL(url).origin;
    const answer = await ask(url, 'GET', '/api/jobs', { origin });
    expect(answer.status).toBe(200);
    expect(corsOf(answer)).toEqual([]);
    expect(answer.headers['vary']).toBe('origin');
  });
});
