// What is open in the name of a token ends with it; how workers come in and stay; what browsers have instead.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { once } from 'node:events';
import { request } from 'node:http';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import type { TokenAsked } from '../../src/coordinator/port/tokens.ts';
import { defaultLimits } from '../../src/protocol/limits.ts';
import { createServer } from '../../src/server/server.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { EventReader } from './support/event-reader.ts';
import {
  eventually,
  type LiveServer,
  type Loose,
  program,
  startLiveServer,
} from './support/live-server.ts';

let live: LiveServer;
beforeEach(async () => {
  live = await startLiveServer();
});
afterEach(() => live.close());

async function make(asked: TokenAsked): Promise<string> {
  const made = await live.coordinator.tokens.create(asked);
  if (!made.ok) throw new Error(made.rejection.detail);
  return made.value.token;
}

const idOf = (token: string) => token.split('_')[2]!;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const device = { type: 'pc', platform: 'linux' };

interface Talk {
  readonly said: Loose[];
  readonly closed: Promise<[number, string]>;
  say(message: object): void;
  hears(type: string): Promise<Loose>;
}

/** A socket of a worker, or the status with which it was refused. */
function talk(headers: Record<string, string>, protocols: string[] = []): Promise<Talk | number> {
  const address = `${live.url.replace('http', 'ws')}/api/workers/connect`;
  const socket = new WebSocket(address, protocols, { headers });
  const said: Loose[] = [];
  socket.on('message', (data) => said.push(...[JSON.parse((data as Buffer).toString())].flat()));
  socket.on('error', () => {});
  const closed = new Promise<[number, string]>((resolve) => {
    socket.once('close', (code, reason) => resolve([code, String(reason)]));
  });
  return new Promise((resolve) => {
    socket.once('unexpected-response', (_request, response) => {
      resolve(response.statusCode!);
      socket.terminate();
    });
    socket.once('open', () =>
      resolve({
        said,
        closed,
        say: (message) => socket.send(JSON.stringify(message)),
        hears: (type) =>
          eventually(
            async () => said.find((message) => message.type === type),
            (message) => message !== undefined,
          ),
      }),
    );
  });
}

async function open(token: string): Promise<Talk> {
  const opened = await talk(bearer(token));
  if (typeof opened === 'number') throw new Error(`refused with ${opened}`);
  return opened;
}

const hello = (more: object = {}) => ({
  type: 'hello',
  protocol: 1,
  device,
  attempts: [],
  ...more,
});

async function greeted(token: string, more: object = {}): Promise<Loose> {
  const worker = await open(token);
  worker.say(hello(more));
  return { worker, welcome: await worker.hears('welcome') };
}

/** A request that is let in at once, and whose body ends only when it is told to. */
async function slowly(path: string, token: string, body: object): Promise<() => Promise<unknown>> {
  const text = JSON.stringify(body);
  const headers = {
    ...bearer(token),
    'content-type': 'application/json',
    'content-length': text.length,
    expect: '100-continue',
  };
  const sent = request(`${live.url}${path}`, { method: 'POST', headers });
  const answered = new Promise((resolve) => {
    sent.once('response', (response) => resolve(response.resume().statusCode));
    sent.once('error', () => resolve('cut off'));
  });
  sent.flushHeaders();
  await once(sent, 'continue');
  sent.write(text.slice(0, 5));
  return () => {
    sent.end(text.slice(5));
    return answered;
  };
}

async function follow(headers: Record<string, string>): Promise<{ ended: Promise<unknown> }> {
  const response = await fetch(`${live.url}/api/events`, { headers });
  expect(response.status).toBe(200);
  return { ended: response.text().catch((error: unknown) => error) };
}

describe('the first admin token', () => {
  test('must be the first of all', async () => {
    const json = { kind: 'client' };
    const { status, body } = await live.call('POST', '/api/tokens', { json });
    expect([status, body.code]).toEqual([409, 'admin_token_first']);
    expect((await live.call('GET', '/api/jobs')).status).toBe(200);
  });

  test('ends what was open without one, and answers whoever has made it', async () => {
    const events = new EventReader(live.url);
    await events.opened;
    const socket = await talk({});
    if (typeof socket === 'number') throw new Error('refused');
    const { status, body } = await live.call('POST', '/api/tokens', { json: { kind: 'admin' } });
    expect(status).toBe(201);
    await events.closed;
    expect(await socket.closed).toEqual([1008, 'The token of this connection is good no more.']);
    expect((await live.call('GET', '/api/jobs')).status).toBe(401);
    const headers = bearer(body.token);
    expect((await live.call('GET', '/api/jobs', { headers })).status).toBe(200);
  });

  test('is not revoked while others are in use, and opens this machine again after them', async () => {
    const admin = await make({ kind: 'admin' });
    const client = await make({ kind: 'client' });
    const headers = bearer(admin);
    const revoke = (token: string) =>
      live.call('DELETE', `/api/tokens/${idOf(token)}`, { headers });
    expect((await revoke(admin)).body.code).toBe('last_admin_token');
    expect((await revoke(client)).body.status).toBe('revoked');
    expect((await revoke(admin)).body.status).toBe('revoked');
    expect((await live.call('GET', '/api/jobs')).status).toBe(200);
  });

  test('keeps the coordinator closed when it expires', async () => {
    await make({ kind: 'admin', expiresInMs: 0 });
    expect((await live.call('GET', '/api/jobs')).status).toBe(401);
  });

  test('outlives clearing the database', async () => {
    const headers = bearer(await make({ kind: 'admin' }));
    expect((await live.call('DELETE', '/api/database/clear', { headers })).status).toBe(200);
    expect((await live.call('GET', '/api/jobs')).status).toBe(401);
    expect((await live.call('GET', '/api/jobs', { headers })).status).toBe(200);
  });
});

describe('a token that is revoked or expires ends at once', () => {
  test('its streams, and no others', async () => {
    const admin = await make({ kind: 'admin' });
    const viewer = await make({ kind: 'viewer' });
    const mine = await follow(bearer(admin));
    const theirs = await follow(bearer(viewer));
    await live.coordinator.tokens.revoke(idOf(viewer));
    expect(await theirs.ended).toBeInstanceOf(Error);
    const state = await Promise.race([mine.ended, live.call('GET', '/healthz')]);
    expect(state).toMatchObject({ status: 200 });
  });

  test('what an admin has not sent as a whole; what was sent is answered', async () => {
    const kept = bearer(await make({ kind: 'admin' }));
    const stolen = await make({ kind: 'admin' });
    const finish = await slowly('/api/tokens', stolen, { kind: 'admin' });
    const path = `/api/tokens/${idOf(stolen)}`;
    const revoked = await live.call('DELETE', path, { headers: bearer(stolen) });
    expect(revoked.body.status).toBe('revoked');
    expect(await finish()).toBe('cut off');
    const tokens = (await live.call('GET', '/api/tokens', { headers: kept })).body;
    expect(tokens.map(({ status }: Loose) => status)).toEqual(['good', 'revoked']);
  });

  test('a stream that has offered an upgrade', async () => {
    await make({ kind: 'admin' });
    const viewer = await make({ kind: 'viewer' });
    const asking = request(`${live.url}/api/events`, {
      headers: { ...bearer(viewer), connection: 'Upgrade', upgrade: 'websocket' },
    });
    asking.end();
    const [response] = await once(asking, 'response');
    expect(response.statusCode).toBe(200);
    const ended = once(response, 'error');
    response.resume();
    await live.coordinator.tokens.revoke(idOf(viewer));
    expect(await ended).toEqual([expect.any(Error)]);
  });

  test('its streams, by the clock', async () => {
    await make({ kind: 'admin' });
    const viewer = await make({ kind: 'viewer', expiresInMs: 400 });
    const { ended } = await follow(bearer(viewer));
    expect(await ended).toBeInstanceOf(Error);
    const { body } = await live.call('GET', '/api/jobs', { headers: bearer(viewer) });
    expect(body.detail).toContain('expired');
  });

  test('sockets that have not said hello; a worker that has goes on', async () => {
    await make({ kind: 'admin' });
    const join = await make({ kind: 'join' });
    const silent = await open(join);
    const { worker } = await greeted(join);
    await live.coordinator.tokens.revoke(idOf(join));
    expect(await silent.closed).toEqual([1008, 'The token of this connection is good no more.']);
    worker.say({
      type: 'heartbeat',
      heartbeat_id: 1,
      telemetry: {},
      assign_sequence: 0,
      running: [],
    });
    expect(await worker.hears('ack')).toMatchObject({ heartbeat: { heartbeat_id: 1 } });
  });

  test('a long poll of a worker, by the removal of the worker', async () => {
    const headers = bearer(await make({ kind: 'admin' }));
    const { body } = await live.call('POST', '/api/workers', { json: device, headers });
    const { worker_id: id, worker_token: token } = body;
    const claim = (json: object) =>
      live.call('POST', `/api/workers/${id}/claim`, { json, headers: bearer(token) });
    expect((await claim({})).status).toBe(200);
    const waiting = claim({ wait_seconds: 30 });
    await eventually(
      async () => live.coordinator.reads.findWorker(id),
      (worker) => worker?.status === 'online',
    );
    await live.call('DELETE', `/api/workers/${id}`, { headers });
    // It ends now, not after its 30 seconds, which the time limit of the test would not wait for.
    expect([200, 401, 403]).toContain((await waiting).status);
    const refused = await claim({});
    expect([refused.status, refused.body.detail]).toEqual([
      401,
      'The token was revoked; ask whoever runs the coordinator for another one.',
    ]);
  });
});

describe('a worker', () => {
  test('comes in by a join token as often as it may be used, with the labels that it gives', async () => {
    await make({ kind: 'admin' });
    const labels = { room: 'lab' };
    const join = await make({ kind: 'join', uses: 2, workerLabels: labels });
    const said = { device: { ...device, labels: { room: 'mine', gpu: 'yes' } } };
    const { welcome } = await greeted(join, said);
    expect(welcome.worker_token).toMatch(/^mst_w_/);
    const json = said.device;
    const second = await live.call('POST', '/api/workers', { json, headers: bearer(join) });
    expect(second.status).toBe(201);
    expect(await talk(bearer(join))).toBe(401);
    const workers = await live.coordinator.reads.workers();
    expect(workers.map((worker) => worker.labels)).toEqual([
      { room: 'lab', gpu: 'yes' },
      { room: 'lab', gpu: 'yes' },
    ]);
    // Coming back with its own token it cannot change them either.
    const { worker_id, worker_token } = welcome;
    await greeted(worker_token, { ...said, worker_id, worker_token });
    expect((await live.coordinator.reads.findWorker(worker_id))?.labels['room']).toBe('lab');
  });

  test('that is greeted on the socket by which it has joined is known there by its own token', async () => {
    await make({ kind: 'admin' });
    const joined = await open(await make({ kind: 'join', uses: 1, workerLabels: { room: 'lab' } }));
    joined.say(hello({}));
    const { worker_id, worker_token } = await joined.hears('welcome');
    joined.said.length = 0;
    joined.say(hello({ worker_id, worker_token, greeting: 1 }));
    expect(await joined.hears('welcome')).toMatchObject({ worker_id });
    expect((await live.coordinator.reads.findWorker(worker_id))?.labels['room']).toBe('lab');
    joined.said.length = 0;
    joined.say(hello({ worker_id, worker_token: `${worker_token}x`, greeting: 2 }));
    expect(await joined.hears('error')).toMatchObject({ fatal: true });
  });

  test('that comes back shows its own token with the socket', async () => {
    await make({ kind: 'admin' });
    const join = await make({ kind: 'join' });
    const { welcome } = await greeted(join);
    const { worker_id, worker_token } = welcome;
    const other = await open(join);
    other.say(hello({ worker_id, worker_token }));
    expect(await other.hears('error')).toMatchObject({ code: 'forbidden', fatal: true });
    const again = await greeted(worker_token, { worker_id, worker_token });
    expect(again.welcome.worker_id).toBe(worker_id);
  });

  test('that was cleared away registers anew with its token, on a socket and over HTTP', async () => {
    const headers = bearer(await make({ kind: 'admin' }));
    const join = await make({ kind: 'join', uses: 2 });
    const { welcome } = await greeted(join);
    const pulled = await live.call('POST', '/api/workers', { json: device, headers: bearer(join) });
    await live.call('DELETE', '/api/database/clear', { headers });
    const { worker_id, worker_token } = welcome;
    const { welcome: anew } = await greeted(worker_token, { worker_id, worker_token });
    expect(anew.worker_id).not.toBe(worker_id);
    expect(anew.worker_token).toBe(worker_token);
    const own = bearer(pulled.body.worker_token);
    const again = await live.call('POST', '/api/workers', { json: device, headers: own });
    expect([again.status, again.body.worker_token]).toEqual([201, pulled.body.worker_token]);
    const twice = await live.call('POST', '/api/workers', { json: device, headers: own });
    expect([twice.status, twice.body.code]).toEqual([403, 'forbidden']);
  });

  test('does not come back with a token that is revoked while it is about to register', async () => {
    const admin = bearer(await make({ kind: 'admin' }));
    const join = await make({ kind: 'join', uses: 1 });
    const { body } = await live.call('POST', '/api/workers', {
      json: device,
      headers: bearer(join),
    });
    const waiting = await open(body.worker_token);
    const finish = await slowly('/api/workers', body.worker_token, device);
    await live.call('DELETE', `/api/workers/${body.worker_id}`, { headers: admin });
    waiting.say(hello());
    expect(await waiting.hears('error')).toMatchObject({ code: 'unauthorized', fatal: true });
    expect(await finish()).toBe(401);
    expect(await live.coordinator.reads.workers()).toEqual([]);
    expect(await talk(bearer(body.worker_token))).toBe(401);
  });

  test('that was cleared away is shut out, by its id or by that of its token, which a list tells', async () => {
    const headers = bearer(await make({ kind: 'admin' }));
    const register = async () =>
      (await live.call('POST', '/api/workers', { json: device, headers })).body;
    const workers = [await register(), await register(), await register()];
    const [first, second, third] = workers.map((worker) => worker.worker_id);
    await live.call('DELETE', `/api/workers/${third}`, { headers });
    await live.call('DELETE', '/api/database/clear', { headers });
    const list = await live.call('GET', '/api/tokens?workers=true', { headers });
    const listed: string[] = list.body.map((token: Loose) => token.worker_id);
    expect(new Set(listed)).toEqual(new Set([first, second]));
    const ofSecond = idOf(workers[1].worker_token);
    const left = [
      await live.call('DELETE', `/api/workers/${first}`, { headers }),
      await live.call('DELETE', `/api/tokens/${ofSecond}`, { headers }),
    ];
    expect(left.map(({ status }) => status)).toEqual([200, 200]);
    expect(left[1]!.body).toMatchObject({ worker_id: second, status: 'revoked' });
    for (const { worker_token } of workers) {
      const own = { json: device, headers: bearer(worker_token) };
      const { status, body } = await live.call('POST', '/api/workers', own);
      expect([status, body.detail]).toEqual([401, expect.stringContaining('was revoked')]);
    }
    expect((await live.call('DELETE', `/api/workers/${first}`, { headers })).status).toBe(404);
    const told = (await live.call('GET', '/api/audit?outcome=done', { headers })).body;
    const entries = told.map(({ action, object }: Loose) => `${action} ${object}`);
    expect(entries).toContain(`worker.deregister ${first}`);
    expect(entries).toContain(`token.revoke ${ofSecond}`);
  });

  test('that is there is removed with its token, also as what it has become since it was cleared', async () => {
    const headers = bearer(await make({ kind: 'admin' }));
    const { body } = await live.call('POST', '/api/workers', { json: device, headers });
    await live.call('DELETE', '/api/database/clear', { headers });
    const own = { json: device, headers: bearer(body.worker_token) };
    const { body: anew } = await live.call('POST', '/api/workers', own);
    const { status } = await live.call('DELETE', `/api/tokens/${idOf(body.worker_token)}`, {
      headers,
    });
    expect(status).toBe(200);
    expect((await live.call('GET', `/api/workers/${anew.worker_id}`, { headers })).status).toBe(
      404,
    );
    expect((await live.call('POST', '/api/workers', own)).status).toBe(401);
  });

  test('that was cleared away is not known where nobody needs a token', async () => {
    const { body } = await live.call('POST', '/api/workers', { json: device });
    await live.call('DELETE', '/api/database/clear');
    const { worker_id: id, worker_token: token } = body;
    expect((await live.call('DELETE', `/api/workers/${id}`)).body.code).toBe('unknown_worker');
    const ofToken = await live.call('DELETE', `/api/tokens/${idOf(token)}`);
    expect(ofToken.body.code).toBe('unknown_token');
  });

  test('that registers anew while it is shut out is removed', async () => {
    await live.close();
    const store = openSqliteStore(':memory:');
    const find = store.findWorkerToken.bind(store);
    live = await startLiveServer({}, store);
    const headers = bearer(await make({ kind: 'admin' }));
    const { body } = await live.call('POST', '/api/workers', { json: device, headers });
    await live.call('DELETE', '/api/database/clear', { headers });
    const own = { json: device, headers: bearer(body.worker_token) };
    let anew: Loose = {};
    vi.spyOn(store, 'findWorkerToken').mockImplementation(async (id) => {
      const row = await find(id);
      anew = (await live.call('POST', '/api/workers', own)).body;
      return row;
    });
    const path = `/api/workers/${body.worker_id}`;
    expect((await live.call('DELETE', path, { headers })).status).toBe(200);
    expect((await live.call('GET', `/api/workers/${anew.worker_id}`, { headers })).status).toBe(
      404,
    );
    expect((await live.call('POST', '/api/workers', own)).status).toBe(401);
  });

  test('that was cleared away registers once, however many sockets it has open', async () => {
    const admin = bearer(await make({ kind: 'admin' }));
    const { worker_token: own } = (
      await live.call('POST', '/api/workers', { json: device, headers: admin })
    ).body;
    await live.call('DELETE', '/api/database/clear', { headers: admin });
    const [one, other] = [await open(own), await open(own)];
    one.say(hello());
    await one.hears('welcome');
    other.say(hello());
    expect(await other.hears('error')).toMatchObject({ code: 'forbidden', fatal: true });
  });

  test('from before the first token keeps its own, which works from then on', async () => {
    const { body } = await live.call('POST', '/api/workers', { json: device });
    await make({ kind: 'admin' });
    const headers = bearer(body.worker_token);
    const claim = await live.call('POST', `/api/workers/${body.worker_id}/claim`, {
      json: {},
      headers,
    });
    expect(claim.status).toBe(200);
  });

  test('of a version that does not show its token with the socket is told what to do', async () => {
    await make({ kind: 'admin' });
    const socket = new WebSocket(`${live.url.replace('http', 'ws')}/api/workers/connect`);
    socket.on('error', () => {});
    const [, refusal] = await once(socket, 'unexpected-response');
    const told = JSON.parse(Buffer.concat(await refusal.toArray()).toString());
    socket.terminate();
    expect(told.code).toBe('unauthorized');
    expect(told.detail).toContain('bring its program up to date');
  });

  test('speaks for itself only', async () => {
    const admin = bearer(await make({ kind: 'admin' }));
    const register = async () =>
      (await live.call('POST', '/api/workers', { json: device, headers: admin })).body;
    const [one, other] = [await register(), await register()];
    const { status, body } = await live.call('POST', `/api/workers/${one.worker_id}/claim`, {
      json: {},
      headers: bearer(other.worker_token),
    });
    expect([status, body.code]).toEqual([403, 'not_yours']);
  });

  test('reads the blobs that its tasks have as inputs, and no others', async () => {
    const headers = bearer(await make({ kind: 'admin' }));
    const { createHash } = await import('node:crypto');
    const put = async (text: string) => {
      const sha256 = createHash('sha256').update(text).digest('hex');
      await live.call('PUT', `/api/blobs/${sha256}`, { body: text, headers });
      return sha256;
    };
    const [named, secret] = [await put('"mine"'), await put('"secret"')];
    const json = { program, inputs: [{ $blob: named }] };
    await live.call('POST', '/api/jobs', { json, headers });
    const { body } = await live.call('POST', '/api/workers', { json: device, headers });
    const own = bearer(body.worker_token);
    const read = (sha256: string) => live.call('GET', `/api/blobs/${sha256}`, { headers: own });
    const claimed = await live.call('POST', `/api/workers/${body.worker_id}/claim`, {
      json: { wait_seconds: 10 },
      headers: own,
    });
    expect(claimed.body.assignments).toHaveLength(1);
    expect((await read(named)).text).toBe('"mine"');
    expect((await read(secret)).body.code).toBe('unknown_blob');
  });
});

describe('a browser', () => {
  const session = async (token: string) => {
    const answer = await live.call('POST', '/api/session', { json: { token } });
    const given = answer.headers.get('set-cookie') ?? '';
    return { answer, given, cookie: given.split(';')[0]! };
  };

  test('logs in with a token, and is asked where its changes come from', async () => {
    const admin = await make({ kind: 'admin' });
    const { answer, given, cookie } = await session(admin);
    expect(answer.body).toEqual({ kind: 'admin', owner: 'admin', expires_in_seconds: 43_200 });
    expect(given).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    expect(given).not.toContain(admin.slice(15, 47));
    expect((await live.call('GET', '/api/jobs', { headers: { cookie } })).status).toBe(200);
    const json = { program, inputs: [1] };
    const submit = (headers: Record<string, string>) =>
      live.call('POST', '/api/jobs', { json, headers: { cookie, ...headers } });
    expect((await submit({})).body.code).toBe('forbidden');
    expect((await submit({ origin: 'http://127.0.0.1:1' })).body.code).toBe('forbidden');
    expect((await submit({ origin: live.url })).status).toBe(201);
  });

  test('shows under https the cookie that nobody else can have set', async () => {
    const admin = await make({ kind: 'admin' });
    const proxied = createServer({
      coordinator: live.coordinator,
      limits: defaultLimits,
      log: pino({ level: 'silent' }),
      behindProxy: ['127.0.0.1'],
    });
    const url = await proxied.listen({ host: '127.0.0.1', port: 0 });
    const from = { 'x-forwarded-for': '127.0.0.1', 'content-type': 'application/json' };
    const https = { ...from, 'x-forwarded-proto': 'https' };
    const body = JSON.stringify({ token: admin });
    const answer = await fetch(`${url}/api/session`, { method: 'POST', headers: https, body });
    const given = answer.headers.get('set-cookie') ?? '';
    expect(given).toMatch(/^__Host-muster_session=.*; Secure$/);
    const cookie = given.split(';')[0]!;
    const plain = cookie.replace('__Host-', '');
    const status = async (sent: string, headers: Record<string, string>) =>
      (await fetch(`${url}/api/jobs`, { headers: { ...headers, cookie: sent } })).status;
    expect(await status(cookie, https)).toBe(200);
    expect(await status(`muster_session=AAAA; ${cookie}`, https)).toBe(200);
    expect(await status(plain, https)).toBe(401);
    expect([await status(plain, from), await status(cookie, from)]).toEqual([200, 401]);
    await proxied.close();
  });

  test('is logged out by itself, and with its token', async () => {
    await make({ kind: 'admin' });
    const viewer = await make({ kind: 'viewer' });
    const [first, second] = [await session(viewer), await session(viewer)];
    const status = async (cookie: string) =>
      (await live.call('GET', '/api/jobs', { headers: { cookie } })).status;
    await live.call('DELETE', '/api/session', { headers: { cookie: first.cookie } });
    expect([await status(first.cookie), await status(second.cookie)]).toEqual([401, 200]);
    await live.coordinator.tokens.revoke(idOf(viewer));
    expect(await status(second.cookie)).toBe(401);
  });

  test('takes with it what it has open, and nothing of another one', async () => {
    await make({ kind: 'admin' });
    const viewer = await make({ kind: 'viewer' });
    const [first, second] = [await session(viewer), await session(viewer)];
    const { ended } = await follow({ cookie: first.cookie });
    const goesOn = await follow({ cookie: second.cookie });
    await live.call('DELETE', '/api/session', { headers: { cookie: first.cookie } });
    expect(await ended).toBeInstanceOf(Error);
    const last = Promise.race([goesOn.ended, Promise.resolve('open')]);
    expect(await last).toBe('open');
  });

  test('that logs in as somebody else has nothing open any more of whoever was there before', async () => {
    await make({ kind: 'admin' });
    const viewer = await make({ kind: 'viewer' });
    const [first, other] = [await session(viewer), await session(viewer)];
    const { ended } = await follow({ cookie: first.cookie });
    const headers = { cookie: first.cookie };
    const status = async () => (await live.call('GET', '/api/jobs', { headers })).status;
    await live.call('POST', '/api/session', { json: { token: 'mst_a_none' }, headers });
    expect(await status()).toBe(200);
    await live.call('POST', '/api/session', { json: { token: viewer }, headers });
    expect(await ended).toBeInstanceOf(Error);
    expect(await status()).toBe(401);
    const { cookie } = other;
    expect((await live.call('GET', '/api/jobs', { headers: { cookie } })).status).toBe(200);
  });

  test('is not let in by a token that is for a worker, or by none', async () => {
    await make({ kind: 'admin' });
    const join = await session(await make({ kind: 'join' }));
    expect([join.answer.status, join.given]).toEqual([403, '']);
    const none = await session('mst_a_none');
    expect([none.answer.status, none.given]).toEqual([401, '']);
  });

  test('opens the socket of a worker with a ticket, once', async () => {
    await make({ kind: 'admin' });
    const headers = bearer(await make({ kind: 'join' }));
    const { body } = await live.call('POST', '/api/session/ticket', { headers });
    const protocols = ['muster', `ticket.${body.ticket}`];
    const worker = await talk({}, protocols);
    if (typeof worker === 'number') throw new Error(`refused with ${worker}`);
    worker.say(hello());
    expect((await worker.hears('welcome')).worker_token).toMatch(/^mst_w_/);
    expect(await talk({}, protocols)).toBe(401);
    expect(await talk({}, ['muster'])).toBe(401);
  });
});

test('a viewer hears of a job, and not what its tasks print', async () => {
  const headers = bearer(await make({ kind: 'admin' }));
  const viewer = bearer(await make({ kind: 'viewer' }));
  const json = { program, inputs: [1] };
  const { body } = await live.call('POST', '/api/jobs', { json, headers });
  const only = await live.call('GET', `/api/events?job_id=${body.id}&types=output`, {
    headers: viewer,
  });
  expect([only.status, only.body.code]).toEqual([403, 'forbidden']);
});

test('a viewer gets counters when it names them, and not by asking for a job', async () => {
  const headers = bearer(await make({ kind: 'admin' }));
  const viewer = bearer(await make({ kind: 'viewer' }));
  const { body } = await live.call('POST', '/api/jobs', {
    json: { program, inputs: [1] },
    headers,
  });
  const end = new AbortController();
  const listen = async (query: string) => {
    const address = `${live.url}/api/events?job_id=${body.id}${query}`;
    const answer = await fetch(address, { headers: viewer, signal: end.signal });
    const heard = { text: '' };
    const read = async () => {
      for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
        heard.text += piece;
      }
    };
    read().catch(() => undefined);
    return heard;
  };
  const plain = await listen('');
  const named = await listen('&types=counters');
  const hears = ({ text }: { readonly text: string }, type: string) =>
    text.split(`event: ${type}\n`).length - 1;
  await eventually(
    async () => hears(named, 'counters'),
    (count) => count >= 2,
  );
  await live.call('POST', `/api/jobs/${body.id}/cancel`, { headers });
  await eventually(
    async () => hears(plain, 'job_cancelled'),
    (count) => count === 1,
  );
  expect(hears(plain, 'counters')).toBe(0);
  end.abort();
});

test('who shows no token learns of the health no more than that', async () => {
  const headers = bearer(await make({ kind: 'viewer' }).catch(() => make({ kind: 'admin' })));
  const bare = await live.call('GET', '/healthz');
  expect(bare.body).toEqual({ status: 'ready' });
  const known = await live.call('GET', '/healthz', { headers });
  expect(known.body).toMatchObject({ status: 'ready', version: '1.2.3' });
});

test('with --open nobody needs a token, though there are some, and the health says so', async () => {
  await make({ kind: 'admin' });
  const opened = createServer({
    coordinator: live.coordinator,
    limits: defaultLimits,
    log: pino({ level: 'silent' }),
    isOpen: true,
  });
  const url = await opened.listen({ host: '127.0.0.1', port: 0 });
  expect((await fetch(`${url}/api/jobs`)).status).toBe(200);
  expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ open: true });
  await opened.close();
});

describe('listening beyond this machine is refused', () => {
  const elsewhere = { host: '192.0.2.1', port: 0 };

  test('without tokens', async () => {
    await expect(live.server.listen(elsewhere)).rejects.toThrow(
      /^Refused to listen on 192\.0\.2\.1: without tokens .* \(muster token create --kind admin\)/,
    );
  });

  test('with tokens over plain HTTP', async () => {
    await make({ kind: 'admin' });
    await expect(live.server.listen(elsewhere)).rejects.toThrow(/over plain HTTP .* --tls /);
  });
});
