// `POST /api/jobs?follow=true`: the job, its results and its end in the answer to its submission. What is
// refused is refused as without it, and what breaks off is taken up at the results.

import { connect as openSocket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import type { Limits } from '../../src/protocol/limits.ts';
import type { Quotas } from '../../src/protocol/quotas.ts';
import {
  eventually,
  type LiveServer,
  type Loose,
  program,
  startLiveServer,
} from './support/live-server.ts';

const path = '/api/jobs?follow=true';
const json = { 'content-type': 'application/json' };
const ndjson = { 'content-type': 'application/x-ndjson' };

let live: LiveServer;
async function begin(limits: Partial<Limits> = {}): Promise<void> {
  await live?.close();
  live = await startLiveServer(limits);
}
beforeEach(() => begin());
afterEach(() => live.close());

const job = (inputs: unknown, more: object = {}) => JSON.stringify({ program, inputs, ...more });
const echo = () => live.worker(({ input }) => ({ value: input }));
const jobCount = async () => (await live.call('GET', '/api/stats')).body.total_jobs as number;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function make(asked: TokenAsked): Promise<string> {
  const made = await live.coordinator.tokens.create(asked);
  if (!made.ok) throw new Error(made.rejection.detail);
  return made.value.token;
}

/** An answer that is read line by line. */
class Following {
  readonly response: Response;
  private readonly reader: ReadableStreamDefaultReader<string>;
  private text = '';

  static async open(body: string, headers: Record<string, string> = json): Promise<Following> {
    return new Following(await fetch(`${live.url}${path}`, { method: 'POST', body, headers }));
  }

  constructor(response: Response) {
    this.response = response;
    this.reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Null at the end. */
  async line(): Promise<Loose> {
    for (;;) {
      const end = this.text.indexOf('\n');
      if (end >= 0) {
        const line = this.text.slice(0, end);
        this.text = this.text.slice(end + 1);
        if (line !== '') return JSON.parse(line);
        continue;
      }
      const { done, value } = await this.reader.read();
      if (done) return null;
      this.text += value;
    }
  }

  async rest(): Promise<Loose[]> {
    const lines: Loose[] = [];
    for (let line = await this.line(); line !== null; line = await this.line()) lines.push(line);
    return lines;
  }

  leave(): Promise<void> {
    return this.reader.cancel();
  }
}

test.each([10_000, 33_000, 66_000, 500_000])(
  'a last result of %d characters comes with the end of the job',
  async (length) => {
    await echo();
    const following = await Following.open(job(['x'.repeat(length)]));
    const lines = await following.rest();
    expect(lines.map((line) => line.value?.length ?? line.job?.status ?? 'job')).toEqual([
      expect.any(String),
      length,
      'completed',
    ]);
  },
);

describe('"the job in the first line, then its results, and the job at its end in the last"', () => {
  test.each([
    ['as JSON', json, job([1, 'two', [3]])],
    ['as lines', ndjson, `${JSON.stringify({ program })}\n1\n"two"\n[3]\n`],
  ])('%s', async (_how, headers, body) => {
    const followed = await Following.open(body, headers);
    const { job: first } = await followed.line();
    expect(first).toMatchObject({ status: 'pending', task_count: 3, completed_at: null });
    const { status, headers: answered } = followed.response;
    expect([status, answered.get('location')]).toEqual([201, `/api/jobs/${first.id}`]);
    expect(answered.get('content-type')).toContain('application/x-ndjson');
    expect(answered.get('x-accel-buffering')).toBe('no');
    await echo();
    const lines = await followed.rest();
    const { job: last } = lines.pop();
    expect(lines.toSorted((a, b) => a.index - b.index)).toEqual(
      [1, 'two', [3]].map((value, index) => {
        return { index, task_id: `${first.id}.${index}`, status: 'completed', value };
      }),
    );
    const [listed] = (await live.call('GET', '/api/jobs')).body;
    expect(last).toEqual(listed);
    expect(last.status).toBe('completed');
  });

  test('a job of more inputs than one commit takes, and every result once', async () => {
    await live.worker(({ input }) => ({ value: input }), { slots: 64 });
    const followed = await Following.open(job(Array.from({ length: 2_500 }, (_, i) => i)));
    const [{ job: first }, ...lines] = await followed.rest();
    const { job: last } = lines.pop();
    expect([first.task_count, last.status]).toEqual([2_500, 'completed']);
    expect(new Set(lines.map(({ index }) => index)).size).toBe(2_500);
    expect(lines).toHaveLength(2_500);
  });

  test('a task that fails, and those that are cancelled with it', async () => {
    const worker = await live.worker(({ input }) => (input === 1 ? { error: 'no' } : undefined));
    const [, ...lines] = await (
      await Following.open(job([1, 2], { max_attempts: 1, on_task_failure: 'fail_job' }))
    ).rest();
    expect(lines.map(({ status, job: end }) => status ?? end.status)).toEqual([
      'failed',
      'cancelled',
      'failed',
    ]);
    worker.end();
  });

  test('a job that is cancelled meanwhile', async () => {
    const followed = await Following.open(job([1, 2]));
    const { job: first } = await followed.line();
    await live.call('POST', `/api/jobs/${first.id}/cancel`);
    const lines = await followed.rest();
    expect(lines.map(({ index, status }) => [index, status])).toEqual([
      [0, 'cancelled'],
      [1, 'cancelled'],
      [undefined, undefined],
    ]);
    expect(lines.at(-1).job).toMatchObject({ id: first.id, status: 'cancelled' });
  });

  test('a job that is held, and released', async () => {
    await echo();
    const followed = await Following.open(job([1], { hold: true }));
    const { job: first } = await followed.line();
    expect(first.held_since).not.toBeNull();
    await live.call('POST', `/api/jobs/${first.id}/release`);
    const last = (await followed.rest()).at(-1).job;
    expect(last).toMatchObject({ status: 'completed', held_since: null });
  });
});

test('the last result, the last line and the end of the answer come in one packet', async () => {
  await echo();
  const { port, hostname } = new URL(live.url);
  const socket = openSocket(Number(port), hostname);
  const packets: string[] = [];
  socket.on('data', (bytes) => void packets.push(bytes.toString()));
  const body = job([1]);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  await eventually(
    async () => packets.at(-1) ?? '',
    (last) => last.endsWith('\r\n0\r\n\r\n'),
  );
  expect(packets.at(-1)).toMatch(/"value":1\}\n\{"job":.*"completed".*\n\r\n0\r\n\r\n$/);
  // The job is told with the headers, when it is there.
  expect(packets[0]).toMatch(/^HTTP\/1.1 201 .*\r\n\r\n.*\{"job":.*"completed_at":null/s);
  socket.destroy();
});

test('with `follow=false` it is the plain answer, and another word is refused', async () => {
  const plain = await live.call('POST', '/api/jobs?follow=false', {
    body: job([1]),
    headers: json,
  });
  expect([plain.status, plain.body.status]).toEqual([201, 'pending']);
  const odd = await live.call('POST', '/api/jobs?follow=maybe', { body: job([1]), headers: json });
  expect([odd.status, odd.body.errors[0].path]).toEqual([422, 'follow']);
  expect(await jobCount()).toBe(1);
});

describe('what is refused is refused as without `follow`, and there is no job:', () => {
  test.each<[string, Record<string, string>, string]>([
    ['no JSON', json, '{"program"'],
    ['no program', json, '{"inputs":[1]}'],
    ['no input', json, job([])],
    ['an option out of bounds', json, job([1], { priority: 1e9 })],
    ['a kind that is not supported yet', json, job([1], { program: { kind: 'wasm', source: '' } })],
    ['a type that is none', { 'content-type': 'text/plain' }, job([1])],
    ['a key that is none', { ...json, 'idempotency-key': 'a b' }, job([1])],
    ['a compressed body', { ...json, 'content-encoding': 'gzip' }, job([1])],
    ['an empty body of lines', ndjson, ''],
    ['a line that is no JSON', ndjson, `${JSON.stringify({ program })}\n1\n{\n`],
    ['lines without an input', ndjson, `${JSON.stringify({ program })}\n`],
    ['a large body', json, job(['x'.repeat(70_000)])],
    ['a blob that is not there', json, job([{ $blob: 'a'.repeat(64) }])],
  ])('%s', async (_what, headers, body) => {
    await begin({ bodyBytes: 60_000 });
    const plain = await live.call('POST', '/api/jobs', { body, headers });
    const followed = await live.call('POST', path, { body, headers });
    expect(plain.status).toBeGreaterThanOrEqual(400);
    expect([followed.status, followed.body]).toEqual([plain.status, plain.body]);
    expect(await jobCount()).toBe(0);
  });

  test('a token of those who only look, or of a worker', async () => {
    await make({ kind: 'admin' });
    for (const kind of ['viewer', 'join'] as const) {
      const headers = { ...json, ...bearer(await make({ kind })) };
      const plain = await live.call('POST', '/api/jobs', { body: job([1]), headers });
      const followed = await live.call('POST', path, { body: job([1]), headers });
      expect(followed).toMatchObject({ status: 403, body: plain.body });
    }
  });

  test('a key that came with another body', async () => {
    const headers = { ...json, 'idempotency-key': 'k' };
    await live.call('POST', '/api/jobs', { body: job([1]), headers });
    const followed = await live.call('POST', path, { body: job([2]), headers });
    expect([followed.status, followed.body.code]).toEqual([409, 'idempotency_conflict']);
  });

  test.each<[string, Quotas]>([
    ['open_jobs', { open_jobs: 1 }],
    ['streams', { streams: 1 }],
  ])('the quota %s', async (quota, quotas) => {
    await make({ kind: 'admin' });
    const headers = {
      ...json,
      ...bearer(await make({ kind: 'client', owner: 'ann', quota: quotas })),
    };
    const first = await Following.open(job([1]), headers);
    await first.line();
    const second = await live.call('POST', path, { body: job([1]), headers });
    expect([second.status, second.body.quota]).toEqual([429, quota]);
    expect(await live.coordinator.reads.census()).toMatchObject({ jobs: { pending: 1 } });
    await first.leave();
  });

  test('the limit of open connections', async () => {
    await begin({ connectionsPerToken: 1 });
    const first = await Following.open(job([1]));
    await first.line();
    const second = await live.call('POST', path, { body: job([1]), headers: json });
    expect([second.status, second.body.code]).toEqual([429, 'overloaded']);
    expect(await jobCount()).toBe(1);
    await first.leave();
  });
});

describe('with the key of a job that is there', () => {
  test.each([
    ['JSON', json, job([1, 2])],
    ['lines', ndjson, `${JSON.stringify({ program })}\n1\n2\n`],
  ])('that job is followed from its begin, open or ended; as %s', async (_how, type, body) => {
    const headers = { ...type, 'idempotency-key': 'k' };
    const plain = await live.call('POST', '/api/jobs', { body, headers });
    const open = await Following.open(body, headers);
    expect(await open.line()).toEqual({ job: plain.body });
    await echo();
    const told = await open.rest();
    const ended = await Following.open(body, headers);
    const [first, ...again] = await ended.rest();
    expect(first.job.status).toBe('completed');
    expect(again).toEqual([...told.slice(0, 2).toSorted((a, b) => a.index - b.index), first]);
    expect(told.at(-1)).toEqual(first);
    expect(await jobCount()).toBe(1);
  });
});

describe('its reader', () => {
  test('leaves: nobody is followed any more, and the job goes on', async () => {
    const followed = await Following.open(job([1]));
    const { job: first } = await followed.line();
    await followed.leave();
    await eventually(
      async () => live.coordinator.held.followed,
      (ids) => ids.length === 0,
    );
    await echo();
    const rest = await live.call('GET', `/api/jobs/${first.id}/results?follow=true`);
    expect(rest.text).toContain('"value":1');
  });

  test('reads slowly: it gets every result once, though they do not all wait for it', async () => {
    const text = 'x'.repeat(400_000);
    const followed = await Following.open(job(Array.from({ length: 60 }, (_, i) => i)));
    const { job: first } = await followed.line();
    await live.worker(() => ({ value: text }), { slots: 8 });
    await eventually(
      async () => (await live.call('GET', `/api/jobs/${first.id}?tasks=false`)).body.status,
      (status) => status === 'completed',
    );
    const lines = await followed.rest();
    expect(lines.pop().job.status).toBe('completed');
    expect(lines.map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, i) => i),
    );
    expect(lines.every(({ value }) => value === text)).toBe(true);
  });

  test('comes to the end without a last line when everything is removed', async () => {
    const followed = await Following.open(job([1]));
    await followed.line();
    await live.call('DELETE', '/api/database/clear');
    expect(await followed.rest()).toEqual([]);
  });

  test('comes to the end without a last line when the coordinator stops', async () => {
    const followed = await Following.open(job([1]));
    await followed.line();
    await live.coordinator.stop();
    expect(await followed.rest()).toEqual([]);
  });
});

test('it is one entry of the audit log, like any submission', async () => {
  const admin = await make({ kind: 'admin' });
  const followed = await Following.open(job([1]), { ...json, ...bearer(admin) });
  const { job: first } = await followed.line();
  await live.call('POST', `/api/jobs/${first.id}/cancel`, { headers: bearer(admin) });
  await followed.rest();
  const { body } = await live.call('GET', '/api/audit?action=job.submit', {
    headers: bearer(admin),
  });
  expect(body.map(({ object, outcome }: Loose) => [object, outcome])).toEqual([[first.id, 'done']]);
});
