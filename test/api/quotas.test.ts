// Quotas of tokens over HTTP: each is crossed, named and left again; another owner does not notice.

import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { connect, MusterError } from '../../src/client/index.ts';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import { quotaNames, quotaTable, type Quotas } from '../../src/protocol/quotas.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { eventually, type LiveServer, program, startLiveServer } from './support/live-server.ts';
import { ScriptedWorker, type Work } from './support/scripted-worker.ts';

let live: LiveServer;
let admin: string;

beforeEach(async () => {
  live = await startLiveServer();
  admin = await make({ kind: 'admin' });
});
afterEach(() => live.close());

async function make(asked: TokenAsked): Promise<string> {
  const made = await live.coordinator.tokens.create(asked);
  if (!made.ok) throw new Error(made.rejection.detail);
  return made.value.token;
}

const client = (owner: string, quota: Quotas = {}) => make({ kind: 'client', owner, quota });
const idOf = (token: string) => token.split('_')[2]!;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function as(token: string) {
  const call = (method: string, path: string, json?: unknown, headers = {}) =>
    live.call(method, path, {
      headers: { ...bearer(token), ...headers },
      ...(json === undefined ? {} : { json }),
    });
  return {
    call,
    submit: (more: object = {}, key?: string) =>
      call(
        'POST',
        '/api/jobs',
        { program, inputs: [1], ...more },
        key === undefined ? {} : { 'idempotency-key': key },
      ),
    /** As lines, which are staged before they are committed. */
    stream: (inputs: readonly unknown[], key?: string) =>
      live.call('POST', '/api/jobs', {
        body: [{ program }, ...inputs].map((line) => `${JSON.stringify(line)}\n`).join(''),
        headers: {
          ...bearer(token),
          'content-type': 'application/x-ndjson',
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
      }),
    put: (bytes: Buffer) =>
      live.call('PUT', `/api/blobs/${createHash('sha256').update(bytes).digest('hex')}`, {
        body: new Uint8Array(bytes),
        headers: { ...bearer(token), 'content-type': 'application/octet-stream' },
      }),
    cancel: (id: string) => call('POST', `/api/jobs/${id}/cancel`),
    used: async (name: string): Promise<number | null> => {
      const { body } = await call('GET', '/api/quota');
      return body.quotas.find((each: { name: string }) => each.name === name).used;
    },
  };
}

const work = async (how: Work) =>
  ScriptedWorker.connect(live.url, how, {}, await make({ kind: 'join' }));

const job = { program: { ...program, kind: 'javascript' as const }, inputs: [1] };

const refusedBy = (quota: string) => ({
  status: 429,
  body: { code: 'quota_exceeded', quota, detail: expect.stringContaining(`(quota ${quota})`) },
});

test('requests: a burst of five seconds, then the rate; another token is not slowed', async () => {
  const [ann, other] = [
    as(await client('ann', { requests_per_second: 2 })),
    as(await client('ann')),
  ];
  const statuses: number[] = [];
  for (let i = 0; i < 30; i++) statuses.push((await ann.call('GET', '/api/stats')).status);
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200));
  const refused = await ann.call('GET', '/api/stats');
  expect(refused).toMatchObject(refusedBy('requests_per_second'));
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await other.call('GET', '/api/stats')).status).toBe(200);
});

test('requests for what anybody may have count too, but for health checks', async () => {
  const ann = as(await client('ann', { requests_per_second: 1 }));
  const statuses: number[] = [];
  for (let i = 0; i < 50; i++) statuses.push((await ann.call('GET', '/asyncapi.json')).status);
  expect(statuses.slice(0, 5)).toEqual(Array(5).fill(200));
  expect(statuses).toContain(429);
  expect((await ann.call('GET', '/readyz')).status).toBe(200);
});

test('the client waits for its turn where a request was not even read', async () => {
  const token = await client('ann', { requests_per_second: 2 });
  const muster = connect(live.url, { token });
  for (let i = 0; i < 10; i++) await muster.stats();
  const { id } = await muster.submit(job);
  expect(id).toBeTruthy();
});

test('a worker over HTTP that is refused, and waits as told, keeps its attempt', async () => {
  await live.close();
  const store = openSqliteStore(':memory:');
  const find = store.findToken.bind(store);
  // Workers have no quotas of their own: what all of them may is more than a test wants to ask.
  vi.spyOn(store, 'findToken').mockImplementation(async (hash) => {
    const row = await find(hash);
    return row?.kind === 'worker' ? { ...row, quota: { requests_per_second: 2 } } : row;
  });
  live = await startLiveServer({}, store);
  admin = await make({ kind: 'admin' });
  const device = { type: 'pc', platform: 'linux' };
  const { body: worker } = await as(admin).call('POST', '/api/workers', device);
  const own = as(worker.worker_token);
  const call = (what: string, json: object) =>
    own.call('POST', `/api/workers/${worker.worker_id}/${what}`, json);
  const refused = new Map<string, number>();
  /** Calls until it is refused, waits, and gives the answer that comes then. */
  const beyondQuota = async (what: string, json: object) => {
    for (;;) {
      const { status, headers } = await call(what, json);
      if (status !== 429) continue;
      refused.set(what, status);
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
      return call(what, json);
    }
  };
  const { body: submitted } = await as(admin).submit();
  expect((await beyondQuota('heartbeat', { telemetry: {} })).status).toBe(200);
  const claimed = await eventually(
    async () => (await call('claim', {})).body.assignments?.[0],
    (assignment) => assignment !== undefined,
  );
  const { task_id, attempt, token } = claimed;
  const named = { task_id, attempt, token };
  const beat = await beyondQuota('heartbeat', { telemetry: {}, running: [named] });
  expect([beat.status, beat.body.stop ?? []]).toEqual([200, []]);
  expect((await beyondQuota('claim', {})).status).toBe(200);
  const done = await beyondQuota('report', { started: [named] });
  expect(done.status).toBe(200);
  const ended = await beyondQuota('report', { results: [{ ...named, value: 1 }] });
  expect(ended.status).toBe(200);
  expect([...refused.keys()]).toEqual(['heartbeat', 'claim', 'report']);
  const { body: task } = await as(admin).call('GET', `/api/jobs/${submitted.id}/tasks/0`);
  expect(task).toMatchObject({ status: 'completed', attempts: [{ attempt: 1 }] });
});

test('open jobs: a hundred at once leave exactly ten, over all tokens of the owner', async () => {
  const [one, two] = [
    await client('ann', { open_jobs: 10 }),
    await client('ann', { open_jobs: 10 }),
  ];
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) => as(i % 2 ? one : two).submit()),
  );
  const accepted = answers.filter(({ status }) => status === 201);
  expect(accepted).toHaveLength(10);
  const refused = answers.find(({ status }) => status !== 201)!;
  expect(refused).toMatchObject(refusedBy('open_jobs'));
  expect(refused.body.detail).toContain('try again when some have ended');
  expect(refused.headers.get('retry-after')).toBe('10');
  expect((await as(one).call('GET', '/api/jobs')).body).toHaveLength(10);
  expect((await as(one).stream([1])).status).toBe(429);
  expect((await as(await client('bob', { open_jobs: 10 })).submit()).status).toBe(201);
  expect(await as(two).used('open_jobs')).toBe(10);
  await as(two).cancel(accepted[0]!.body.id);
  expect((await as(one).submit()).status).toBe(201);
  expect((await as(one).submit()).status).toBe(429);
});

test('a key that was accepted is answered as before, whatever the quota says', async () => {
  const quota = { open_jobs: 1, submissions_per_minute: 2, stored_bytes: 1_000_000 };
  const token = await client('ann', quota);
  const { submit, stream } = as(token);
  const large = Array.from({ length: 4 }, () => 'x'.repeat(100_000));
  const first = await stream(large, 'key');
  expect(first.status).toBe(201);
  await live.coordinator.tokens.setQuota(idOf(token), { stored_bytes: 1 });
  expect((await stream(large, 'key')).body.id).toBe(first.body.id);
  expect(await submit({}, 'other')).toMatchObject(refusedBy('open_jobs'));
  expect((await as(admin).call('GET', '/api/jobs')).body).toHaveLength(1);
  await as(token).cancel(first.body.id);
  await live.coordinator.tokens.setQuota(idOf(token), { stored_bytes: null });
  // What was refused has used up neither the key nor the minute.
  const second = await submit({}, 'other');
  expect(second.status).toBe(201);
  expect((await submit({}, 'other')).body.id).toBe(second.body.id);
});

test('queued tasks: also of ranges, and of those that wait again after a retry', async () => {
  const { submit, call, cancel } = as(await client('ann', { queued_tasks: 5 }));
  const first = await submit({ inputs: { range: { start: 0, count: 3 } }, max_attempts: 1 });
  expect(first.status, first.text).toBe(201);
  expect(await submit({ inputs: { range: { start: 0, count: 3 } } })).toMatchObject(
    refusedBy('queued_tasks'),
  );
  const worker = await work(({ input }) => (input === 1 ? { error: 'no' } : { value: input }));
  const path = `/api/jobs/${first.body.id}`;
  await eventually(
    async () => (await call('GET', `${path}?tasks=false`)).body.status,
    (status) => status === 'failed',
  );
  worker.end();
  const second = await submit({ inputs: { range: { start: 0, count: 5 } }, hold: true });
  expect(second.status).toBe(201);
  expect(await call('POST', `${path}/retry`)).toMatchObject(refusedBy('queued_tasks'));
  await cancel(second.body.id);
  expect((await call('POST', `${path}/retry`)).status).toBe(200);
  const tooLarge = await submit({ inputs: { range: { start: 0, count: 6 } } });
  expect(tooLarge.body.detail).toContain('make several smaller jobs of it');
});

test('submissions: so many within a minute', async () => {
  const { submit, used } = as(await client('ann', { submissions_per_minute: 3 }));
  for (let i = 0; i < 3; i++) expect((await submit()).status).toBe(201);
  const refused = await submit();
  expect(refused).toMatchObject(refusedBy('submissions_per_minute'));
  const seconds = Number(refused.headers.get('retry-after'));
  expect(seconds).toBeGreaterThan(50);
  expect(seconds).toBeLessThanOrEqual(60);
  expect(await used('submissions_per_minute')).toBe(3);
  expect((await as(await client('bob')).submit()).status).toBe(201);
});

describe('stored bytes', () => {
  test('inputs count until their job is deleted, and a refused stream leaves nothing', async () => {
    const { submit, stream, call, cancel, used } = as(await client('ann', { stored_bytes: 5_000 }));
    const first = await submit({ inputs: ['x'.repeat(3_000)] });
    expect(first.status).toBe(201);
    expect(await used('stored_bytes')).toBe(3_002 + program.source.length);
    expect(await submit({ inputs: ['x'.repeat(3_000)] })).toMatchObject(refusedBy('stored_bytes'));
    const parts = Array.from({ length: 30 }, () => 'x'.repeat(1_000));
    expect(await stream(parts)).toMatchObject(refusedBy('stored_bytes'));
    expect(await used('stored_bytes')).toBe(3_002 + program.source.length);
    await cancel(first.body.id);
    await call('DELETE', `/api/jobs/${first.body.id}`);
    expect(await used('stored_bytes')).toBe(0);
    expect((await submit({ inputs: ['x'.repeat(3_000)] })).status).toBe(201);
  });

  test('results count, and are taken whatever the quota says', async () => {
    const token = await client('ann', { stored_bytes: 1_000 });
    const { submit, call, used } = as(token);
    const worker = await work(() => ({ value: 'y'.repeat(5_000) }));
    const { body } = await submit();
    await eventually(
      async () => (await call('GET', `/api/jobs/${body.id}?tasks=false`)).body.status,
      (status) => status === 'completed',
    );
    expect(await used('stored_bytes')).toBe(5_002 + 1 + program.source.length);
    expect(await submit()).toMatchObject(refusedBy('stored_bytes'));
    worker.end();
  });

  test('blobs count once, also while they are sent', async () => {
    const token = await client('ann', { stored_bytes: 10_000 });
    const { put, used } = as(token);
    const blobs = Array.from({ length: 10 }, (_, i) => Buffer.alloc(3_000, i));
    const answers = await Promise.all(blobs.map((blob) => put(blob)));
    const there = answers.filter(({ status }) => status === 201);
    expect(there.length).toBeGreaterThan(0);
    expect(there.length).toBeLessThanOrEqual(3);
    expect(await used('stored_bytes')).toBe(3_000 * there.length);
    expect(answers.find(({ status }) => status !== 201)).toMatchObject(refusedBy('stored_bytes'));
    const kept = blobs[answers.indexOf(there[0]!)]!;
    expect((await put(kept)).status).toBeLessThan(300);
    expect(await used('stored_bytes')).toBe(3_000 * there.length);
    expect((await as(await client('bob', { stored_bytes: 10_000 })).put(kept)).status).toBe(201);
  });
});

test('the highest priority is a bound of what may be asked, not of time: 403', async () => {
  const { submit } = as(await client('ann', { highest_priority: 5 }));
  for (const more of [{ priority: 6 }, { task_priorities: [9] }]) {
    const refused = await submit(more);
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    expect(refused.body.detail).toContain('(quota highest_priority)');
    expect(refused.headers.get('retry-after')).toBeNull();
  }
  expect((await submit({ priority: 5, task_priorities: [5] })).status).toBe(201);
});

test('streams: so many at once, of events and of results that are followed', async () => {
  const token = await client('ann', { streams: 2 });
  const { submit, call, used } = as(token);
  const { body } = await submit();
  const open = (path: string) =>
    new Promise<ReturnType<typeof request>>((resolve, reject) => {
      const asking = request(`${live.url}${path}`, { headers: bearer(token), agent: false });
      asking.on('response', () => resolve(asking)).on('error', reject);
      asking.end();
    });
  const events = await open('/api/events');
  const results = await open(`/api/jobs/${body.id}/results?follow=true`);
  expect(await call('GET', '/api/events')).toMatchObject(refusedBy('streams'));
  expect(await used('streams')).toBe(2);
  expect((await call('GET', `/api/jobs/${body.id}/results`)).status).toBe(200);
  for (const each of [events, results]) each.on('error', () => {}).destroy();
  await eventually(
    () => used('streams'),
    (count) => count === 0,
  );
});

test('registrations and sockets of a join token', async () => {
  const token = await make({
    kind: 'join',
    quota: { registrations_per_minute: 2, sockets: 1 },
  });
  const register = () => as(token).call('POST', '/api/workers', { type: 'pc', platform: 'linux' });
  for (let i = 0; i < 2; i++) expect((await register()).status).toBe(201);
  expect(await register()).toMatchObject(refusedBy('registrations_per_minute'));
  const upgrade = () =>
    new Promise<number>((resolve, reject) => {
      const asking = request(`${live.url}/api/workers/connect`, {
        agent: false,
        headers: {
          ...bearer(token),
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': Buffer.alloc(16).toString('base64'),
        },
      });
      asking.on('upgrade', (_response, socket) => {
        closes.push(() => socket.destroy());
        resolve(101);
      });
      asking.on('response', (response) => {
        response.destroy();
        resolve(response.statusCode!);
      });
      asking.on('error', reject).end();
    });
  const closes: (() => void)[] = [];
  expect(await upgrade()).toBe(101);
  expect(await upgrade()).toBe(429);
  closes[0]!();
  await eventually(upgrade, (status) => status === 101);
  for (const close of closes) close();
});

describe('quotas are set', () => {
  test('with the token, and changed at once; what is there stays', async () => {
    const asked = { kind: 'client', owner: 'ann', quota: { open_jobs: 3 } };
    const made = await as(admin).call('POST', '/api/tokens', asked);
    expect(made).toMatchObject({ status: 201, body: { quota: { open_jobs: 3 } } });
    const { submit, call } = as(made.body.token);
    for (let i = 0; i < 3; i++) expect((await submit()).status).toBe(201);
    const change = (quota: object) =>
      as(admin).call('PATCH', `/api/tokens/${made.body.id}`, { quota });
    expect((await change({ open_jobs: 2, streams: 7 })).body.quota).toEqual({
      open_jobs: 2,
      streams: 7,
    });
    expect((await submit()).status).toBe(429);
    expect((await call('GET', '/api/jobs')).body).toHaveLength(3);
    expect((await change({ open_jobs: null })).body.quota).toEqual({ streams: 7 });
    expect((await submit()).status).toBe(201);
    const [, listed] = (await as(admin).call('GET', '/api/tokens')).body;
    expect(listed.quota).toEqual({ streams: 7 });
    expect(
      (await as(made.body.token).call('PATCH', `/api/tokens/${made.body.id}`, {})).status,
    ).toBe(403);
    expect((await as(admin).call('PATCH', '/api/tokens/none', { quota: {} })).status).toBe(404);
  });

  test.each([
    [{ kind: 'client', quota: { jobs: 1 } }, 'open_jobs, queued_tasks'],
    [{ kind: 'join', quota: { open_jobs: 1 } }, 'not for tokens of the kind join'],
    [{ kind: 'viewer', quota: { sockets: 1 } }, 'those may have requests_per_second, streams'],
    [{ kind: 'client', owner: 'admin', quota: { stored_bytes: 1 } }, 'is not counted'],
    [{ kind: 'client', quota: { open_jobs: -1 } }, 'must be an integer from 0'],
    [{ kind: 'client', quota: 5 }, 'must be an object of quotas'],
  ])('not for what they are not: %j', async (asked, sentence) => {
    const { status, text } = await as(admin).call('POST', '/api/tokens', asked);
    expect(status).toBe(422);
    expect(text).toContain(sentence);
  });
});

test('whoever asks sees the quotas of its kind, and what is used of them', async () => {
  const token = await client('ann', { open_jobs: 7 });
  await as(token).submit({ inputs: [1, 2] });
  const { body } = await as(token).call('GET', '/api/quota');
  expect(body).toMatchObject({ token_id: idOf(token), kind: 'client', owner: 'ann' });
  const shown = Object.fromEntries(
    body.quotas.map((each: { name: string; bound: number; used: number }) => [
      each.name,
      [each.bound, each.used],
    ]),
  );
  expect(shown).toEqual({
    requests_per_second: [1_000, null],
    submissions_per_minute: [60_000, 1],
    open_jobs: [7, 1],
    queued_tasks: [1_000_000, 2],
    stored_bytes: [10 * 1024 ** 3, 2 + program.source.length],
    streams: [200, 0],
    highest_priority: [null, null],
  });
  const ofAdmin = await as(admin).call('GET', '/api/quota');
  expect(ofAdmin.body.quotas.every(({ bound }: { bound: unknown }) => bound === null)).toBe(true);
});

test('an admin with a quota has it, and sees all as before', async () => {
  const token = await make({ kind: 'admin', quota: { open_jobs: 1 } });
  expect((await as(await client('ann')).submit()).status).toBe(201);
  expect((await as(token).submit()).status).toBe(201);
  expect(await as(token).submit()).toMatchObject(refusedBy('open_jobs'));
  expect((await as(admin).submit()).status).toBe(201);
  expect((await as(token).call('GET', '/api/jobs')).body).toHaveLength(3);
});

test('the client tells which quota, and does not wait for what does not end by itself', async () => {
  const muster = connect(live.url, { token: await client('ann', { open_jobs: 0 }) });
  let waits = 0;
  const onInterruption = () => void waits++;
  const submitted = muster.submit(job, { onInterruption });
  const failure = await submitted.catch((error: unknown) => error);
  expect(waits).toBe(0);
  expect(failure).toBeInstanceOf(MusterError);
  expect(failure).toMatchObject({ quota: 'open_jobs', retryAfterSeconds: 10, status: 429 });
});

test('where nobody needs a token nothing is bounded', async () => {
  const open = await startLiveServer();
  await open.submit([1]);
  const { body } = await open.call('GET', '/api/quota');
  expect(body.token_id).toBeNull();
  expect(body.quotas.every(({ bound }: { bound: unknown }) => bound === null)).toBe(true);
  expect(body.quotas.find(({ name }: { name: string }) => name === 'open_jobs').used).toBe(1);
  await open.close();
});

test('the table of the guide has every quota with its defaults', () => {
  const page = readFileSync(new URL('../../docs/guides/access.md', import.meta.url), 'utf8');
  const rows = page
    .split('\n## Quotas\n')[1]!
    .split('\n## ')[0]!
    .split('\n')
    .flatMap((line) => {
      const [name, meaning, per, ...defaults] = line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim());
      return name?.startsWith('`') ? [[name.slice(1, -1), meaning, per, ...defaults]] : [];
    });
  const cell = (value: number | null | undefined) =>
    value === undefined
      ? '–'
      : value === null
        ? 'any'
        : value === 10 * 1024 ** 3
          ? '10 GB'
          : spaced(value);
  const kinds = ['admin', 'client', 'viewer', 'join', 'worker'] as const;
  expect(rows).toEqual(
    quotaNames.map((name) => {
      const { meaning, per, kinds: bounds } = quotaTable[name];
      return [name, meaning, per, ...kinds.map((kind) => cell(bounds[kind]))];
    }),
  );
});

function spaced(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}
