import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { TaskResult } from '../protocol/resources.ts';
import { connect, ConnectionError, MusterError } from './index.ts';
import { linesOf } from './ndjson.ts';
import {
  type Answer,
  clientOf,
  json,
  silent,
  stream,
  unreachable,
} from './testing/scripted-fetch.ts';

const line = (index: number) => `{"index":${index},"task_id":"t","status":"completed","value":1}\n`;

async function indicesOf(results: AsyncIterable<TaskResult>): Promise<readonly number[]> {
  const indices: number[] = [];
  for await (const { index } of results) indices.push(index);
  return indices;
}

describe('a request', () => {
  test('carries token, method and encoded path', async () => {
    const { client, requests } = clientOf([json({ id: 'a' })], { token: 'secret' });
    await client.cancel('a/b?c');
    expect(requests[0]?.url).toBe('http://coordinator:8000/api/jobs/a%2Fb%3Fc/cancel');
    expect(requests[0]?.init.method).toBe('POST');
    expect(requests[0]?.init.headers).toMatchObject({ authorization: 'Bearer secret' });
  });

  test('leaves out of the query what is not given', async () => {
    const { client, requests } = clientOf([json([]), json([])]);
    await client.jobs();
    await client.jobs({ status: 'failed', clientId: 'a b', limit: 3 });
    expect(requests.map(({ url }) => url)).toEqual([
      'http://coordinator:8000/api/jobs',
      'http://coordinator:8000/api/jobs?status=failed&client_id=a+b&limit=3',
    ]);
  });

  test('for heads gets them, of several statuses and with a part of a text', async () => {
    const eta = { seconds: 9, low: 8, high: 10, method: 'm', reason: null };
    const { client, requests } = clientOf([json([{ id: 'a', eta }])]);
    const status = ['pending', 'running'] as const;
    const [head] = await client.jobs({ heads: true, status, search: 'dock' });
    expect(head!.eta.seconds).toBe(9);
    expect(requests[0]!.url).toBe(
      'http://coordinator:8000/api/jobs?status=pending%2Crunning&q=dock&heads=true',
    );
  });

  test('that is refused rejects with what the coordinator said', async () => {
    const refusal = { detail: 'No job has the id "x".', code: 'unknown_job' };
    const { client } = clientOf([
      json(refusal, { status: 404 }),
      json(refusal, { status: 429, headers: { 'retry-after': '7' } }),
    ]);
    const error = await client.job('x').catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(MusterError);
    expect(error).toMatchObject({ ...refusal, status: 404, retryAfterSeconds: null });
    await expect(client.job('x')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 7 });
  });

  test('that nobody answers says so, with the address and the reason of the system', async () => {
    const { client } = clientOf([unreachable]);
    const error = await client.stats().catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ reason: 'unreachable', url: 'http://coordinator:8000' });
    expect((error as Error).message).toContain('at http://coordinator:8000 (ECONNREFUSED)');
  });

  test.each([
    ['HTML', () => new Response('<html>')],
    ['an error without a detail', json({ error: 'no' }, { status: 500 })],
  ])('that is answered by %s did not reach a coordinator', async (_what, answer) => {
    const { client } = clientOf([answer]);
    await expect(client.stats()).rejects.toMatchObject({ reason: 'not_muster' });
  });

  test('that is sent elsewhere stays here, with its body and its token', async () => {
    const heard: string[] = [];
    const elsewhere = createServer((request, response) => {
      heard.push(`${request.method} ${request.url}`);
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const origin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
    const here = createServer((request, response) => {
      request.resume();
      response.writeHead(307, { location: `${origin}${request.url}` }).end();
    }).listen(0, '127.0.0.1');
    await once(here, 'listening');
    const url = `http://127.0.0.1:${(here.address() as AddressInfo).port}`;
    const client = connect(url, { token: 'secret' });
    const refused = await client.tokens.create({ kind: 'client' }).catch((cause: unknown) => cause);
    expect(refused).toMatchObject({
      reason: 'not_muster',
      message:
        `What answers at ${url} is not a coordinator: it sends whoever asks to ${origin}, where nothing was ` +
        'sent. Is this its address?',
    });
    expect(heard).toEqual([]);
    for (const server of [here, elsewhere]) server.close();
  });

  test('that a page is sent elsewhere with says so, without the place', async () => {
    const opaque = Object.defineProperty(new Response(), 'type', { value: 'opaqueredirect' });
    const { client } = clientOf([() => opaque]);
    await expect(client.stats()).rejects.toThrow('it sends whoever asks to another address, where');
  });

  test('that takes too long is given up', async () => {
    const { client } = clientOf([silent], { timeoutMs: 20 });
    await expect(client.stats()).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('that is aborted rejects with the reason of its signal', async () => {
    const { client } = clientOf([silent]);
    const controller = new AbortController();
    const reason = new Error('enough');
    const answer = client.stats({ signal: controller.signal });
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  test.each(['', 'coordinator:8000', 'ftp://coordinator'])('is not made to %j', (url) => {
    expect(() => connect(url)).toThrow('is not the address of a coordinator');
  });
});

describe('results', () => {
  test('come as far as they are there', async () => {
    const { client, requests } = clientOf([stream([line(0) + line(1), line(2)], false)]);
    expect(await indicesOf(client.results('j'))).toEqual([0, 1, 2]);
    expect(requests[0]?.url).toBe('http://coordinator:8000/api/jobs/j/results');
  });

  test('that are followed go on when the connection breaks, and each comes once', async () => {
    const half = line(2).slice(0, 10);
    const { client, requests } = clientOf([
      stream([line(0), line(1) + half], true),
      unreachable,
      // The coordinator stopped in order while the job went on.
      stream([line(0), line(2)], false),
      json({ completed_at: null }),
      json({ detail: 'Stopping.', code: 'shutting_down' }, { status: 503 }),
      stream([line(0), line(1), line(2), line(3000)], false),
      json({ completed_at: '2026-01-01T00:00:00.000Z' }),
    ]);
    const told: string[] = [];
    const results = client.results('j', { follow: true, onInterruption: (e) => told.push(e.name) });
    expect(await indicesOf(results)).toEqual([0, 1, 2, 3000]);
    expect(told).toEqual(['ConnectionError', 'ConnectionError', 'ConnectionError', 'MusterError']);
    expect(requests[0]?.url).toContain('results?follow=true');
  });

  test('end with the error when patience does', async () => {
    const { client } = clientOf([stream([line(0)], true), unreachable, unreachable, unreachable]);
    const results = client.results('j', { follow: true, patienceMs: 300 });
    await expect(indicesOf(results)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  test('are not waited for at an address where nobody answers', async () => {
    const { client } = clientOf([unreachable]);
    const results = client.results('j', { follow: true });
    await expect(indicesOf(results)).rejects.toMatchObject({ reason: 'unreachable' });
  });
});

describe('a stream of inputs', () => {
  const job = { program: { kind: 'javascript', source: 'export default (n) => n' } } as const;
  const read: Answer = async (_url, { body }) =>
    Response.json({ body: await new Response(body).text() });

  test('is sent as lines, the job first', async () => {
    const { client, requests } = clientOf([read]);
    const answer: unknown = await client.submitStream(job, [1, { two: 2 }, null]);
    expect(answer).toEqual({ body: `${JSON.stringify(job)}\n1\n{"two":2}\nnull\n` });
    expect(requests[0]?.init.headers).toMatchObject({ 'content-type': 'application/x-ndjson' });
  });

  test('that breaks rejects with its own error', async () => {
    const reason = new Error('line 2 is not JSON');
    async function* inputs() {
      yield 1;
      throw reason;
    }
    const { client } = clientOf([read]);
    await expect(client.submitStream(job, inputs())).rejects.toBe(reason);
  });
});

test('lines are put together from pieces of any size', async () => {
  async function* pieces() {
    for (const piece of ['a', 'b\nc', '\n\n', 'd\ne\nf', '']) yield piece;
  }
  const lines: string[] = [];
  for await (const text of linesOf(pieces())) lines.push(text);
  expect(lines).toEqual(['ab', 'c', 'd', 'e', 'f']);
});
