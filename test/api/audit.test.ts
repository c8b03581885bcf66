// What was done, and by whom: every change and every refusal leaves one entry, and no secret is in any.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import { auditActions, type AuditAction, type AuditResource } from '../../src/protocol/audit.ts';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer } from '../../src/server/server.ts';
import {
  type Answer,
  eventually,
  type LiveServer,
  type Loose,
  program,
  startLiveServer,
} from './support/live-server.ts';

let live: LiveServer;
let admin: string;
/** Id of the newest entry from before the test. */
let before = 0;
beforeAll(async () => {
  live = await startLiveServer();
  admin = await make({ kind: 'admin' });
});
beforeEach(async () => {
  before = (await live.coordinator.audit.list({}, null, 1))[0]?.id ?? 0;
});
afterAll(() => live.close());

async function make(asked: TokenAsked): Promise<string> {
  const made = await live.coordinator.tokens.create(asked);
  if (!made.ok) throw new Error(made.rejection.detail);
  return made.value.token;
}

const idOf = (token: string) => token.split('_')[2]!;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const device = { type: 'pc', platform: 'linux' };
const foreign = '01990000-0000-7000-8000-000000000000';

async function entries(query = ''): Promise<AuditResource[]> {
  const { status, body } = await live.call('GET', `/api/audit?limit=1000&${query}`, {
    headers: bearer(admin),
  });
  expect(status).toBe(200);
  return body.filter(({ id }: AuditResource) => id > before);
}

const ask = (method: string, path: string, token: string, json?: unknown): Promise<Answer> =>
  live.call(method, path, { headers: bearer(token), ...(json === undefined ? {} : { json }) });

const job = { program, inputs: [1] };

async function submitted(token = admin): Promise<string> {
  return (await ask('POST', '/api/jobs', token, job)).body.id;
}

async function ended(): Promise<string> {
  const id = await submitted();
  await ask('POST', `/api/jobs/${id}/cancel`, admin);
  return id;
}

async function failed(): Promise<string> {
  const { body: worker } = await ask('POST', '/api/workers', admin, { ...device, slots: 64 });
  const { worker_id: workerId, worker_token: own } = worker;
  const { id } = (await ask('POST', '/api/jobs', admin, job)).body;
  const claimed = await ask('POST', `/api/workers/${workerId}/claim`, own, { wait_seconds: 5 });
  const mine = claimed.body.assignments.filter(({ job_id }: Loose) => job_id === id);
  const failures = mine.map(({ task_id, attempt, token }: Loose) => {
    return { task_id, attempt, token, error_type: 'error', error_message: 'no', retryable: false };
  });
  await ask('POST', `/api/workers/${workerId}/report`, own, { failures });
  return id;
}

async function registered(): Promise<string> {
  return (await ask('POST', '/api/workers', admin, device)).body.worker_id;
}

async function waiting(): Promise<string> {
  const link = await make({ kind: 'join', needsApproval: true });
  return (await ask('POST', '/api/workers', link, device)).body.worker_id;
}

interface Change {
  readonly method: string;
  readonly path: string;
  readonly action: AuditAction;
  readonly json?: unknown;
  /** Makes what is changed; its id stands in the address. */
  readonly of?: () => Promise<string>;
  /** What the entry is about; by default what is changed. */
  readonly object?: (answer: Loose, id: string | null) => string | null;
  readonly bad?: unknown;
}

const newId = ({ id }: Loose): string => id;

const changes: Change[] = [
  { method: 'POST', path: '/api/jobs', action: 'job.submit', json: job, object: newId, bad: {} },
  { method: 'POST', path: '/api/jobs/{job_id}/cancel', action: 'job.cancel', of: submitted },
  { method: 'POST', path: '/api/jobs/{job_id}/hold', action: 'job.hold', of: submitted },
  { method: 'POST', path: '/api/jobs/{job_id}/release', action: 'job.release', of: submitted },
  { method: 'POST', path: '/api/jobs/{job_id}/retry', action: 'job.retry', of: failed },
  { method: 'DELETE', path: '/api/jobs/{job_id}', action: 'job.delete', of: ended },
  {
    method: 'POST',
    path: '/api/workers',
    action: 'worker.register',
    json: device,
    object: ({ worker_id: id }) => id,
    bad: {},
  },
  {
    method: 'POST',
    path: '/api/workers/{worker_id}/approve',
    action: 'worker.approve',
    of: waiting,
  },
  { method: 'POST', path: '/api/workers/{worker_id}/refuse', action: 'worker.refuse', of: waiting },
  {
    method: 'PUT',
    path: '/api/workers/{worker_id}/name',
    action: 'worker.rename',
    of: registered,
    json: { name: 'laptop' },
    bad: { name: '' },
  },
  {
    method: 'POST',
    path: '/api/workers/{worker_id}/drain',
    action: 'worker.drain',
    of: registered,
  },
  {
    method: 'POST',
    path: '/api/workers/{worker_id}/resume',
    action: 'worker.resume',
    of: registered,
  },
  {
    method: 'DELETE',
    path: '/api/workers/{worker_id}',
    action: 'worker.deregister',
    of: registered,
  },
  {
    method: 'PUT',
    path: '/api/scheduler/config',
    action: 'scheduler.configure',
    json: { algorithm: 'round_robin' },
    object: () => null,
    bad: { algorithm: 'none' },
  },
  {
    method: 'POST',
    path: '/api/scheduler/activate/{algorithm}',
    action: 'scheduler.activate',
    of: async () => 'priority',
  },
  {
    method: 'POST',
    path: '/api/tokens',
    action: 'token.create',
    json: { kind: 'client' },
    object: newId,
    bad: { kind: 'none' },
  },
  {
    method: 'POST',
    path: '/api/join-links',
    action: 'token.create',
    json: {},
    object: newId,
    bad: { uses: 0 },
  },
  {
    method: 'PATCH',
    path: '/api/tokens/{token_id}',
    action: 'token.change',
    of: async () => idOf(await make({ kind: 'client' })),
    json: { quota: { open_jobs: 5 } },
    bad: { quota: { none: 5 } },
  },
  {
    method: 'DELETE',
    path: '/api/tokens/{token_id}',
    action: 'token.revoke',
    of: async () => idOf(await make({ kind: 'client' })),
  },
  {
    method: 'DELETE',
    path: '/api/database/clear',
    action: 'database.clear',
    object: () => null,
  },
];

const at = ({ path }: Change, id: string) => path.replace(/\{\w+\}/, id);
const perform = (change: Change, id: string, token: string, json = change.json) =>
  ask(change.method, at(change, id), token, json);

describe.for(changes)('$method $path', (change) => {
  const { action } = change;

  test('leaves one entry when it was done, in the commit of the change', async () => {
    const id = (await change.of?.()) ?? null;
    const { status, body } = await perform(change, id ?? '', admin);
    expect(status).toBeLessThan(300);
    // Read past the interface: nothing that waits is written for it.
    const { store } = (live.coordinator as Loose).options;
    const [newest] = await store.listAudit({ action }, null, 1);
    const isNothing = action === 'job.release' || action === 'worker.resume';
    expect((newest?.id ?? 0) > before).toBe(!isNothing);
    const object = change.object === undefined ? id : change.object(body, id);
    expect(await entries(`action=${action}`)).toEqual([
      {
        id: expect.any(Number),
        at: expect.any(String),
        action,
        object,
        outcome: 'done',
        code: null,
        count: 1,
        token_id: idOf(admin),
        role: 'admin',
        owner: 'admin',
        address: '127.0.0.1',
      },
    ]);
  });

  test('leaves one entry when the token may not, and one when there is none', async () => {
    const viewer = await make({ kind: 'viewer', owner: 'eve' });
    expect((await perform(change, foreign, viewer)).status).toBe(403);
    const path = at(change, foreign);
    expect((await live.call(change.method, path)).status).toBe(401);
    const isOfToken = change.path.includes('{token_id}');
    const object = change.path.includes('_id}') && !isOfToken ? foreign : null;
    const told = (await entries(`action=${action}`)).map(({ id: _id, at: _at, ...rest }) => rest);
    const refused = { action, object, outcome: 'refused', count: 1, address: '127.0.0.1' };
    const nobody = { token_id: null, role: null, owner: null };
    const eve = { token_id: idOf(viewer), role: 'viewer', owner: 'eve' };
    expect(told).toHaveLength(2);
    expect(told).toContainEqual({ ...refused, ...eve, code: 'forbidden' });
    expect(told).toContainEqual({ ...refused, ...nobody, code: 'unauthorized' });
  });
});

const refusable = changes.filter(({ of, bad }) => of !== undefined || bad !== undefined);
test.for(refusable)('$method $path leaves one entry when it cannot be done', async (change) => {
  const { status, body } = await perform(change, foreign, admin, change.bad);
  expect(status).toBeGreaterThanOrEqual(400);
  const [entry, ...more] = await entries(`action=${change.action}`);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ outcome: 'refused', code: body.code, token_id: idOf(admin) });
});

test('there is a case for every address that changes something', () => {
  const elsewhere = ['/api/blobs/{sha256}', '/api/session'];
  const quiet = ['/api/session/ticket', '/api/scheduler/preview'];
  const calls = ['heartbeat', 'claim', 'report', 'release'].map(
    (call) => `/api/workers/{worker_id}/${call}`,
  );
  const known = new Set([...changes.map(({ path }) => path), ...elsewhere, ...quiet, ...calls]);
  const published = Object.entries(live.document.document.paths)
    .filter(([, methods]) => Object.keys(methods).some((method) => method !== 'get'))
    .map(([path]) => path);
  expect(published.filter((path) => !known.has(path))).toEqual([]);
});

test('blobs of clients are told together, those of workers not at all', async () => {
  const { worker_token: own } = (await ask('POST', '/api/workers', admin, device)).body;
  const client = await make({ kind: 'client', owner: 'bob' });
  for (const [index, token] of [client, client, own].entries()) {
    const body = Buffer.from(`blob ${index}`);
    const hash = createHash('sha256').update(body).digest('hex');
    const sent = await live.call('PUT', `/api/blobs/${hash}`, { body, headers: bearer(token) });
    expect(sent.status).toBe(201);
  }
  const told = { outcome: 'done', count: 2, object: null, owner: 'bob', role: 'client' };
  expect(await entries('action=blob.put')).toEqual([expect.objectContaining(told)]);
});

test('a blob is told whether or not its sender hears the answer', async () => {
  const client = await make({ kind: 'client', owner: 'cut' });
  const { hostname, port } = new URL(live.url);
  for (let i = 0; i < 20; i++) {
    const body = Buffer.alloc(100_000, `of one who leaves, ${i}`);
    const hash = createHash('sha256').update(body).digest('hex');
    const socket = connect(Number(port), hostname);
    const head =
      `PUT /api/blobs/${hash} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${client}\r\n` +
      `Content-Length: ${body.length}\r\n\r\n`;
    socket.write(head);
    socket.write(body, () => socket.destroy());
    await once(socket, 'close');
    await eventually(
      () => ask('GET', `/api/blobs/${hash}`, client),
      ({ status }) => status === 200,
    );
  }
  // The last one is told right after it is stored.
  await live.call('GET', '/readyz');
  const told = await entries('action=blob.put&owner=cut');
  expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(20);
});

test('sessions are told with the token that they stand for, when they begin and when they end', async () => {
  const headers = { origin: live.url };
  const begun = await live.call('POST', '/api/session', { headers, json: { token: admin } });
  const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
  await live.call('DELETE', '/api/session', { headers: { ...headers, cookie } });
  // There is none any more, and nothing is done.
  await live.call('DELETE', '/api/session', { headers: { ...headers, cookie } });
  const told = (await entries()).filter(({ action }) => action.startsWith('session.'));
  expect(
    told.map(({ action, outcome, token_id, count }) => [action, outcome, token_id, count]),
  ).toEqual(['session.end', 'session.begin'].map((action) => [action, 'done', idOf(admin), 1]));
});

test('a session that is refused to a token that was never used before is no session', async () => {
  const join = await make({ kind: 'join' });
  const headers = { origin: live.url };
  const { status } = await live.call('POST', '/api/session', { headers, json: { token: join } });
  expect(status).toBe(403);
  const told = await entries('action=session.begin');
  expect(told.map(({ outcome, token_id }) => [outcome, token_id])).toEqual([
    ['refused', idOf(join)],
  ]);
});

test('a token that was revoked is named, an unknown one is nobody', async () => {
  const revoked = await make({ kind: 'client' });
  await live.coordinator.tokens.revoke(idOf(revoked));
  const wrong = `${admin.slice(0, -1)}${admin.endsWith('0') ? '1' : '0'}`;
  for (const token of [revoked, revoked, wrong]) await ask('GET', '/api/jobs', token);
  const told = await entries('action=read');
  const seen = told.map(({ object, code, count, token_id }) => [object, code, count, token_id]);
  expect(seen).toContainEqual(['/api/jobs', 'unauthorized', 2, idOf(revoked)]);
  expect(seen).toContainEqual(['/api/jobs', 'unauthorized', 1, null]);
  expect(seen).toHaveLength(2);
});

test('what is read is not told', async () => {
  await ask('GET', '/api/jobs', admin);
  await ask('GET', '/api/jobs/none', admin);
  await ask('GET', '/nowhere', admin);
  expect(await entries()).toEqual([]);
});

/** Opens a socket with this token, says hello, and waits for the end, or for the welcome. */
async function greet(token: string, hello: object): Promise<void> {
  const address = `${live.url.replace('http', 'ws')}/api/workers/connect`;
  const socket = new WebSocket(address, { headers: bearer(token) });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.once('open', () => {
    const whole = { type: 'hello', protocol: 1, device, attempts: [], ...hello };
    socket.send(JSON.stringify([whole]));
  });
  socket.once('message', () => socket.close());
  await closed;
}

test('a worker that registers on a socket is told, and one that comes back is not', async () => {
  const join = await make({ kind: 'join', uses: 1, owner: 'hall' });
  await greet(join, {});
  const told = await entries('action=worker.register');
  expect(told).toHaveLength(1);
  const [{ object, token_id: by }] = told as [AuditResource];
  expect(by).toBe(idOf(join));
  expect((await ask('GET', `/api/workers/${object}`, admin)).status).toBe(200);

  const { worker_id, worker_token } = (await ask('POST', '/api/workers', admin, device)).body;
  await greet(worker_token, { worker_id, worker_token });
  expect(await entries('action=worker.register')).toHaveLength(2);
});

test('sockets that are refused are told: in the upgrade, and at the hello', async () => {
  const viewer = await make({ kind: 'viewer' });
  const join = await make({ kind: 'join' });
  await greet(viewer, {});
  const { worker_id } = (await ask('POST', '/api/workers', admin, device)).body;
  await greet(join, { worker_id, worker_token: 'A'.repeat(32) });
  const told = await entries('action=worker.connect');
  const seen = told.map(({ outcome, code, token_id }) => [outcome, code, token_id]);
  expect(seen).toContainEqual(['refused', 'forbidden', idOf(viewer)]);
  expect(seen).toContainEqual(['refused', 'not_yours', idOf(join)]);
  expect(seen).toHaveLength(2);
});

test('pages follow each other, and what is asked for wrongly is refused in words', async () => {
  for (let i = 0; i < 3; i++) await submitted();
  const first = await ask('GET', '/api/audit?limit=2&action=job.submit', admin);
  const next = /<(.*)>; rel="next"/.exec(first.headers.get('link')!)![1]!;
  const second = await ask('GET', next, admin);
  const ids = [...first.body, ...second.body].map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  expect(new Set(ids).size).toBe(ids.length);
  const { status, body } = await ask('GET', '/api/audit?action=job.cancle&since=now', admin);
  expect(status).toBe(422);
  const [action, since] = body.errors.map(({ message }: Loose) => message);
  expect(action).toMatch(/^must be one of job.submit, job.cancel, /);
  expect(since).toMatch(/^must be a time/);
});

test('no secret of any kind is in the entries', async () => {
  const join = await make({ kind: 'join' });
  const client = await make({
    kind: 'client',
    owner: 'eve\u001B[31m\u202E',
    label: 'label-secret',
  });
  const { worker_token: own, worker_id: workerId } = (
    await ask('POST', '/api/workers', join, device)
  ).body;
  const origin = { origin: live.url };
  const begun = await live.call('POST', '/api/session', {
    json: { token: client },
    headers: origin,
  });
  const cookie = begun.headers.get('set-cookie')!.split(';')[0]!;
  const { ticket } = (await ask('POST', '/api/session/ticket', join)).body;
  const secrets = [admin, join, client, own, cookie.split('=')[1]!, ticket, 'label-secret'];
  const source = 'export default () => "program-secret"';
  const secretJob = { program: { kind: 'javascript', source }, inputs: ['input-secret'] };
  const headers = { ...bearer('header-secret'), 'x-header-secret': 'header-secret', cookie };
  secrets.push('program-secret', 'input-secret', 'header-secret');
  await live.call('POST', '/api/jobs', { json: secretJob, headers: { ...origin, cookie } });
  await live.call('POST', '/api/jobs', { json: secretJob, headers });
  for (const secret of secrets.slice(0, 6)) {
    const word = encodeURIComponent(secret);
    await ask('DELETE', `/api/tokens/${word}`, admin);
    await ask('DELETE', `/api/jobs/${word}?token=${word}`, client);
    await ask('POST', `/api/jobs/${word}/cancel`, viewerless(secret), { token: secret });
    await ask('POST', `/api/workers/${workerId}/report`, admin, { token: secret });
    await live.call('GET', `/api/jobs/${word}?token=${word}`, { headers: { cookie: secret } });
    await live.call('POST', '/api/session', { json: { token: `${secret}x` }, headers: origin });
  }
  await greet(join, { worker_id: workerId, worker_token: `${own}x` });
  await live.call('DELETE', '/api/session', { headers: { ...origin, cookie } });
  const told = await entries();
  expect(told.length).toBeGreaterThan(15);
  const text = JSON.stringify(told);
  for (const secret of secrets) {
    expect(text).not.toContain(secret);
    if (secret.length > 40) expect(text).not.toContain(secret.slice(14, 34));
  }
  expect(text).toContain('eve\uFFFD[31m\uFFFD');
});

/** As it is, where it may stand in a header at all. */
const viewerless = (secret: string) => secret.replaceAll(/[^\w-]/g, '');

test('refusals of many addresses are bounded, and the rest is counted', async () => {
  const log = pino({ level: 'silent' });
  const { coordinator } = live;
  const behindProxy = ['127.0.0.1/32'];
  const proxied = createServer({ coordinator, limits: defaultLimits, log, behindProxy });
  const asks = 3_000;
  for (let i = 0; i < asks; i++) {
    const from = { 'x-forwarded-for': `198.51.${i >> 8}.${i & 255}`, 'x-forwarded-proto': 'https' };
    const headers = { ...from, ...bearer('wrong'), host: '127.0.0.1' };
    const { statusCode } = await proxied.app.inject({ url: '/api/stats', headers });
    expect(statusCode).toBe(401);
  }
  const told = await entries();
  await proxied.close();
  expect(told.length).toBeLessThan(100);
  expect(told.reduce((sum, { count }) => sum + count, 0)).toBe(asks);
});

describe('where nobody needs a token', () => {
  let open: LiveServer;
  beforeAll(async () => {
    open = await startLiveServer();
  });
  afterAll(() => open.close());

  test('only what decides who may is told, from the first token on', async () => {
    await open.submit([1]);
    const { body } = await open.call('POST', '/api/tokens', { json: { kind: 'admin' } });
    const headers = bearer(body.token);
    await open.call('POST', '/api/jobs', { json: job, headers });
    const told = await open.call('GET', '/api/audit', { headers });
    const seen = told.body.map(({ action, token_id: id }: AuditResource) => [action, id]);
    expect(seen).toEqual([
      ['job.submit', body.id],
      ['token.create', null],
    ]);
  });
});

test('every action has its line in the guide', () => {
  const page = readFileSync(new URL('../../docs/guides/access.md', import.meta.url), 'utf8');
  const lines = Object.entries(auditActions).map(
    ([name, { means }]) => `| \`${name}\` | ${means} |`,
  );
  expect(lines.filter((line) => !page.includes(line))).toEqual([]);
});
